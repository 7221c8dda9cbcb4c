# libmp3lame, static and without its program and its decoder: FFmpeg has no MP3 encoder of
# its own. Called by build.sh in the source directory.
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" \
	--enable-static --disable-shared --with-pic --disable-frontend --disable-decoder --disable-gtktest \
	${triple:+--host=$triple}
make -j"$JOBS"
make install DESTDIR="$DESTDIR"
