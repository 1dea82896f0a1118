"""Members of zip archives, also those packed with Zstandard, as Inspect packs its logs.

Python reads these by itself from 3.14 on; before, the package zstandard does.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

_ZSTANDARD = 93
"""How the zip format calls it."""

_LOCAL_HEADER, _LENGTHS = 30, 26
"""Bytes before a member's name, and where the lengths of its name and its extra field stand."""


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes, no more than its entry says.

    Parameters
    ----------
    archive
        An archive that is open.
    member
        One of its entries.

    Raises
    ------
    zipfile.BadZipFile
        If the bytes are not those that were packed.
    NotImplementedError
        If nothing here can unpack them; says what to install.
    """
    try:
        return archive.read(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
    try:
        import zstandard
    except ImportError:
        raise NotImplementedError(
            "it is packed with Zstandard, which a package unpacks: pip install zstandard"
        ) from None
    packed = io.BytesIO(_packed(archive, member))
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            data = stream.read(member.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {member.filename!r}")
    return bytes(data)


def _packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes as they stand in the archive."""
    file = archive.fp
    assert file is not None
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("Bad magic number for file header")
    file.seek(sum(struct.unpack_from("<HH", header, _LENGTHS)), io.SEEK_CUR)
    return file.read(member.compress_size)
