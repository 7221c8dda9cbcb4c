# Windows on 64-bit x86: what differs from building for this machine. Sourced by
# cross.sh.
triple=x86_64-w64-mingw32
goos=windows
goarch=amd64
# The compiler with POSIX threads, which FFmpeg's frame threads and their C library
# need, and that C library. Wine, which runs the result here, comes by itself
# (wine.sh): who only builds does not need it.
cross_packages="gcc-mingw-w64-x86-64-posix"
cross_sysroot=
# Debian has a second compiler with Windows threads; this one's programs say so.
cross_suffix=-posix
ffmpeg_arch=x86_64
ffmpeg_os=mingw32
ffmpeg_options="--disable-w32threads --extra-ldflags=-static"
meson_system=windows
meson_cpu=x86_64
windres=$triple-windres
