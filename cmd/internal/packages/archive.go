package main

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// archive returns the release as a folder, for systems without deb and rpm: the files in
// the places they have below /.
func (r *release) archive(files []file) ([]string, error) {
	out := r.named(".tar.gz")
	folder := fmt.Sprintf("tutti-%s-linux-%s/", r.version, r.arch)
	return []string{out}, writeFile(out, packed(func(w io.Writer) error { return writeTar(w, folder, files, r.time) }))
}

// writeTar writes files below folder, with the folders they are in first. Everything
// belongs to root and has one time.
func writeTar(w io.Writer, folder string, files []file, when time.Time) error {
	t := tar.NewWriter(w)
	made := map[string]bool{}
	for _, f := range files {
		for _, dir := range folders(folder + f.path) {
			if made[dir] {
				continue
			}
			made[dir] = true
			if err := t.WriteHeader(header(file{path: dir, mode: fs.ModeDir | 0o755}, when)); err != nil {
				return err
			}
		}
		f.path = folder + f.path
		made[f.path] = true
		if err := t.WriteHeader(header(f, when)); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func header(f file, when time.Time) *tar.Header {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)),
		Uid: f.owner, Gid: f.owner, ModTime: when, Format: tar.FormatPAX}
	if f.mode.IsDir() {
		h.Typeflag, h.Name = tar.TypeDir, f.path+"/"
	}
	if f.mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	return h
}

// folders returns those that name is in, outermost first.
func folders(name string) []string {
	var out []string
	for dir := path.Dir(strings.TrimPrefix(name, "/")); dir != "." && dir != "/"; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	slices.Reverse(out)
	return out
}

// writeFile writes a file that is there as a whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), path)
}
