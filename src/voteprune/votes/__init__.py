"""What users bring: votes on two classes or more, validated, identical rows merged."""
