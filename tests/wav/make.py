#!/usr/bin/env python3
"""Writes the WAV files beside it, byte for byte the same every time: python3 make.py

Plain integer files are written by Python's own `wave`, so that the reader is tested
against a writer that knows nothing of it; the others are put together by hand.
"""

import pathlib
import struct
import wave

HERE = pathlib.Path(__file__).parent
PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")

# The four samples of every mono file, in units of full scale; stereo files have them as
# (first, second), (third, fourth).
SAMPLES = [0.5, -1.0, 0.25, -0.125]


def packed(bits):
    """The samples as little-endian integers; 8 bits are unsigned."""
    if bits == 8:
        return bytes(int(128 + s * 128) for s in SAMPLES)
    whole = [int(s * 2 ** (bits - 1)) for s in SAMPLES]
    return b"".join(w.to_bytes(bits // 8, "little", signed=True) for w in whole)


def floats(*samples):
    return b"".join(struct.pack("<f", s) for s in samples or SAMPLES)


def chunk(name, body, size=None):
    """A chunk, padded to even length; `size` is what it claims, if it lies."""
    size = len(body) if size is None else size
    return name + struct.pack("<I", size) + body + b"\0" * (len(body) % 2)


def fmt(tag, channels, rate, bits, frame_bytes=None, extra=b""):
    frame_bytes = channels * bits // 8 if frame_bytes is None else frame_bytes
    per_second = rate * frame_bytes % 2**32
    fixed = struct.pack("<HHIIHH", tag, channels, rate, per_second, frame_bytes, bits)
    return chunk(b"fmt ", fixed + extra)


def extensible(codec, channels, rate, bits, valid, tail=GUID_TAIL):
    extra = struct.pack("<HHIH", 22, valid, (1 << channels) - 1, codec) + tail
    return fmt(EXTENSIBLE, channels, rate, bits, extra=extra)


def save(name, *chunks, size=None):
    body = b"WAVE" + b"".join(chunks)
    (HERE / f"{name}.wav").write_bytes(chunk(b"RIFF", body, size))


def save_plain(name, channels, bits):
    with wave.open(str(HERE / f"{name}.wav"), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(bits // 8)
        file.setframerate(44100)
        file.writeframes(packed(bits))


# Plain integers.
for bits in 8, 16, 24, 32:
    save_plain(f"mono{bits}", 1, bits)
    save_plain(f"stereo{bits}", 2, bits)

# Floats, the second with the longer header and the chunk that ought to come with it.
save("mono_float", fmt(FLOAT, 1, 48000, 32), chunk(b"data", floats()))
save(
    "stereo_float",
    fmt(FLOAT, 2, 48000, 32, extra=b"\0\0"),
    chunk(b"fact", struct.pack("<I", 2)),
    chunk(b"data", floats()),
)

# The extensible form. 24 bits in 32, and 20 in 24, belong in the high bits.
for bits in 8, 16, 24, 32:
    save(
        f"extensible{bits}",
        extensible(PCM, 2, 48000, bits, bits),
        chunk(b"data", packed(bits)),
    )
save("extensible_float", extensible(FLOAT, 2, 48000, 32, 32), chunk(b"data", floats()))
save("extensible_24_in_32", extensible(PCM, 1, 48000, 32, 24), chunk(b"data", packed(32)))
save("extensible_20_in_24", extensible(PCM, 1, 48000, 24, 20), chunk(b"data", packed(24)))
save("extensible_valid_0", extensible(PCM, 1, 48000, 16, 0), chunk(b"data", packed(16)))
# 24 bits in the low ones of 32: as recorders write them, and as some libraries do.
low = b"".join(struct.pack("<i", int(s * 2**23) + 1) for s in SAMPLES)
save("low_24_in_32", fmt(PCM, 1, 48000, 24, frame_bytes=4), chunk(b"data", low))
save("extensible_low_24_in_32", extensible(PCM, 1, 48000, 32, 24), chunk(b"data", low))

# Rates.
for rate in 1, 8000, 11025, 22050, 96000, 192000, 384000:
    save(f"rate{rate}", fmt(PCM, 1, rate, 16), chunk(b"data", packed(16)))

# Chunks before, between and after, of odd and even length, and headers of odd sizes.
plain, data = fmt(PCM, 1, 44100, 16), chunk(b"data", packed(16))
save(
    "chunks",
    chunk(b"JUNK", b"x" * 28),
    plain,
    chunk(b"bext", b"y" * 61),
    chunk(b"LIST", b"INFOISFT\x05\0\0\0odd\0\0"),
    data,
    chunk(b"LIST", b"INFO"),
    chunk(b"data", b"not this one"),
)
save("odd_chunk", chunk(b"JUNK", b"odd"), plain, chunk(b"LIST", b"odder"), data)
save("empty_chunk", chunk(b"JUNK", b""), plain, data)
save("fact_of_8", plain, chunk(b"fact", struct.pack("<II", 4, 0)), data)
save("fact_of_1", plain, chunk(b"fact", b"\x04"), data)
save("fmt_of_18", fmt(PCM, 1, 44100, 16, extra=b"\0\0"), data)
save("fmt_of_40", fmt(PCM, 1, 44100, 16, extra=b"\x16\0" + b"z" * 22), data)
save("fmt_of_21", fmt(PCM, 1, 44100, 16, extra=b"\x03\0abc"), data)
save("wrong_riff_size", plain, data, size=3)
save("zero_riff_size", plain, data, size=0)
save("streamed", plain, chunk(b"data", packed(16), 0xFFFFFFFF), size=0xFFFFFFFF)
save("wrong_rate_of_bytes", plain.replace(struct.pack("<I", 88200), b"\1\2\3\4"), data)

# Headers that leave out how many bytes a frame has: those of its channels and bits.
for bits in 8, 16, 24, 32:
    header = fmt(PCM, 2, 44100, bits, frame_bytes=0)
    save(f"zero_frame_bytes{bits}", header, chunk(b"data", packed(bits)))
save("zero_frame_bytes_mono8", fmt(PCM, 1, 44100, 8, frame_bytes=0), chunk(b"data", packed(8)))

# Data that is not all there, or not whole.
save("cut", plain, chunk(b"data", packed(16), 4000))
save("half_a_sample", plain, chunk(b"data", packed(16) + b"\x7f"))
save("half_a_frame", fmt(PCM, 2, 44100, 16), chunk(b"data", packed(16) + b"\x7f\x7f"))

# What is refused.
save("no_frames", plain, chunk(b"data", b""))
save("less_than_a_frame", plain, chunk(b"data", b"\x7f"))
save("six_channels", fmt(PCM, 6, 44100, 16), chunk(b"data", b"\0" * 24))
save("zero_channels", fmt(PCM, 0, 44100, 16), data)
save("zero_hz", fmt(PCM, 1, 0, 16), data)
save("too_many_hz", fmt(PCM, 1, 384001, 16), data)
save("no_fmt", data)
save("fmt_after_data", data, plain)
save("no_data", plain)
save("short_fmt", chunk(b"fmt ", plain[8:22]), data)
save("short_extensible", fmt(EXTENSIBLE, 1, 44100, 16, extra=b"\0\0"), data)
save("wrong_frame_bytes", fmt(PCM, 2, 44100, 16, frame_bytes=7), data)
save("zero_bits", fmt(PCM, 1, 44100, 0, frame_bytes=2), data)
save("integers_of_64", fmt(PCM, 1, 44100, 64), chunk(b"data", b"\0" * 16))
save("floats_of_64", fmt(FLOAT, 1, 44100, 64), chunk(b"data", struct.pack("<d", 0.5)))
save("floats_of_16", fmt(FLOAT, 1, 44100, 16), chunk(b"data", struct.pack("<e", 0.5)))
save("too_many_valid_bits", extensible(PCM, 1, 44100, 16, 65535), data)
save("unknown_guid", extensible(PCM, 1, 44100, 16, 16, tail=b"\1" * 14), data)
for name, tag in {
    "ms_adpcm": 0x02,
    "a_law": 0x06,
    "mu_law": 0x07,
    "ima_adpcm": 0x11,
    "mp3": 0x55,
    "codec_1234": 0x1234,
}.items():
    save(name, fmt(tag, 1, 44100, 4, frame_bytes=256, extra=b"\0\0"), data)
save("extensible_a_law", extensible(0x06, 1, 44100, 8, 8), data)
save("nan", fmt(FLOAT, 2, 44100, 32), chunk(b"data", floats(0, 0, 0, float("nan"))))
save("infinite", fmt(FLOAT, 1, 44100, 32), chunk(b"data", floats(0, 0, float("inf"))))
save("too_loud", fmt(FLOAT, 1, 44100, 32), chunk(b"data", floats(1, -70000)))
