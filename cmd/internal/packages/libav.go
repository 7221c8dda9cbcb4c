package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// recipeKey is how deploy/deps names a libav prefix that it built.
func recipeKey() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{16}$`) }

// libavArchive returns the libav prefix, so that `make deps` elsewhere need not build it. A
// prefix that the user brought is not of our recipe, and gives no archive.
func (r *release) libavArchive() ([]string, error) {
	key := filepath.Base(r.libav)
	if !recipeKey().MatchString(key) {
		return nil, nil
	}
	files, err := tree(r.libav)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(r.out, "tutti-libav-"+key+".tar.gz")
	return []string{out}, writeFile(out,
		packed(func(w io.Writer) error { return writeTar(w, "tutti-libav-"+key+"/", files, r.time) }))
}

// tree returns the plain files below dir, by path.
func tree(dir string) ([]file, error) {
	var out []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		out = append(out, file{path: filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))), mode: mode,
			data: data})
		return nil
	})
	return out, err
}
