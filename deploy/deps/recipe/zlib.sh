# The distribution's static libz, put where only a static one is found, so that
# the programs carry it. Needed for compressed PTX and PNG.
mkdir -p "$DESTDIR$PREFIX/lib/pkgconfig" "$DESTDIR$PREFIX/include"
cp "$(gcc -print-file-name=libz.a)" "$DESTDIR$PREFIX/lib/libz.a"
for header in zlib.h zconf.h; do
	path=$(echo "#include <$header>" | gcc -E -x c - | sed -n "s|^# 1 \"\(.*/$header\)\".*|\1|p" | head -n 1)
	cp "$path" "$DESTDIR$PREFIX/include/$header"
done
cat >"$DESTDIR$PREFIX/lib/pkgconfig/zlib.pc" <<PC
prefix=$PREFIX
Name: zlib
Description: zlib, static
Version: $(sed -n 's/^#define ZLIB_VERSION "\(.*\)"/\1/p' "$DESTDIR$PREFIX/include/zlib.h")
Libs: -L\${prefix}/lib -lz
Cflags: -I\${prefix}/include
PC
