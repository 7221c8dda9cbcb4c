# dav1d, static. FFmpeg's own AV1 decoder needs a GPU, so this is what makes AV1
# input work on a CPU; Debian ships it as a shared library only.
meson setup build --prefix="$PREFIX" --libdir=lib --buildtype=release \
	--default-library=static -Denable_tools=false -Denable_tests=false \
	${triple:+--cross-file "$MESON_FILE"}
ninja -j"$JOBS" -C build
DESTDIR="$DESTDIR" meson install --no-rebuild -C build
