package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The driver compiles kernels for its GPU when they are loaded first, which takes
// seconds, and keeps them in files. Without them every new size or pixel format would
// cost these seconds within some segment's time.
const (
	cachePath = "CUDA_CACHE_PATH"
	cacheSize = 256 << 20
)

// openCache makes the folder for what the driver of a GPU compiles, and says what
// takes it away again. One GPU's driver never waits for another's, whose process may
// hang with the files locked, and never runs what another's process has left there.
func openCache(o Options) (folder string, remove func(), err error) {
	remove = func() {}
	if !o.GPU {
		return "", remove, nil
	}
	if o.Cache == "" {
		if folder, err = os.MkdirTemp("", "tutti-cuda-"); err != nil {
			return "", remove, fmt.Errorf("make a folder for compiled kernels: %w", err)
		}
		made := folder
		return folder, func() { os.RemoveAll(made) }, nil
	}
	name := o.UUID
	if name == "" {
		name = "card-" + o.Device
	}
	folder = filepath.Join(o.Cache, plainName(name))
	for _, f := range []string{o.Cache, folder} {
		// Compiled kernels run on the GPU: only the node may write here.
		if err := privateFolder(f); err != nil {
			return "", remove, fmt.Errorf("make a folder for compiled kernels: %w", err)
		}
	}
	// An absolute path: the child has another working folder.
	folder, err = filepath.Abs(folder)
	return folder, remove, err
}

// privateFolder makes a folder for its owner alone. The data directory may belong to the
// service's user while root checks a GPU: no link there leads root to another folder.
func privateFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	above, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(above.Chmod(filepath.Base(path), 0o700), above.Close())
}

// plainName returns a name without path separators.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '_'
	}, name)
}
