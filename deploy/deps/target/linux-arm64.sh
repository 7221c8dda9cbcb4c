# Linux on 64-bit ARM: what differs from building for this machine. Sourced by
# cross.sh; a target that needs other steps says so in variables, not in the
# recipes.
triple=aarch64-linux-gnu
goos=linux
goarch=arm64
# The compiler, the C library it links with, and what runs the result here.
cross_packages="gcc-$triple libc6-dev-arm64-cross qemu-user-static"
# The C library's linker scripts name places that are only right below this.
cross_sysroot=yes
ffmpeg_arch=aarch64
ffmpeg_os=linux
ffmpeg_options=
meson_system=linux
meson_cpu=aarch64
