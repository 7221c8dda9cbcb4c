# zlib for another kind of machine, static, from its source: what compresses and
# expands, without what reads files. Its own build knows each system by another
# makefile, so the few files are compiled here. Called by build.sh in the source
# directory.
for name in adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil; do
	"$triple-gcc" -O3 -fPIC -c "$name.c"
done
mkdir -p "$DESTDIR$PREFIX/lib/pkgconfig" "$DESTDIR$PREFIX/include"
"$triple-ar" rcs "$DESTDIR$PREFIX/lib/libz.a" ./*.o
cp zlib.h zconf.h "$DESTDIR$PREFIX/include"
cat >"$DESTDIR$PREFIX/lib/pkgconfig/zlib.pc" <<PC
prefix=$PREFIX
Name: zlib
Description: zlib, static
Version: $(sed -n 's/^#define ZLIB_VERSION "\(.*\)"/\1/p' zlib.h)
Libs: -L\${prefix}/lib -lz
Cflags: -I\${prefix}/include
PC
