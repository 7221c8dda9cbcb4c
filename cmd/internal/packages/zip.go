package main

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"
)

// zipFolder packs a folder as Windows's users expect it: a zip with the folder in it, sorted, every file
// with one time, so that the same files give the same bytes. It reads no subfolders.
func zipFolder(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: packages zip FOLDER ZIP SECONDS")
	}
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	out, err := os.Create(args[1] + ".part")
	if err != nil {
		return err
	}
	err = pack(out, args[0], time.Unix(seconds, 0).UTC())
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return os.Rename(out.Name(), args[1])
}

// pack writes the files of dir, under its name.
func pack(w io.Writer, dir string, when time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate,
		func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	files, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		entry, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(filepath.Base(dir), f.Name()), Method: zip.Deflate,
			Modified: when})
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
