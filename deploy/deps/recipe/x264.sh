# libx264, static, 8 and 10 bit in one library. Called by build.sh in the source
# directory; $PREFIX is where it says it lives, $DESTDIR where it is put.
./configure --prefix="$PREFIX" \
	--enable-static --enable-pic --disable-cli --disable-opencl --bit-depth=all \
	${triple:+--host=$triple --cross-prefix=$triple-}
make -j"$JOBS"
make install-lib-static DESTDIR="$DESTDIR"
