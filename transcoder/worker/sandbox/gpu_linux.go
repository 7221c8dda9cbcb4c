package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// gpuReadable returns what a GPU's driver reads in addition to readable: its application profiles, and
// /etc/alternatives, through which Debian's links to the driver's libraries go.
func gpuReadable() []string { return []string{"/usr/share/nvidia", "/etc/alternatives"} }

// gpuLibraries returns folders whose entries are links to the driver's libraries in another folder (NixOS).
func gpuLibraries() []string { return []string{"/run/opengl-driver/lib"} }

// gpuNodes returns the device files of the driver. The driver creates some of them when it is first
// opened, so it is opened before the restrictions apply.
func gpuNodes() ([]string, error) {
	var nodes []string
	for _, pattern := range []string{"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/dxg", "/dev/dri/*", "/dev/shm"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, found...)
	}
	return nodes, nil
}

// libraryFolders returns the folders among paths that exist, and the folders of the files to which links
// to the driver's libraries in them point: Landlock checks a link's target. Relative paths and / are left out.
func libraryFolders(paths []string) []string {
	var folders []string
	add := func(path string) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || real == "/" || slices.Contains(folders, real) {
			return
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			folders = append(folders, real)
		}
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		add(path)
		for _, pattern := range []string{"libcuda.so*", "libnv*.so*"} {
			libraries, err := filepath.Glob(filepath.Join(path, pattern))
			if err != nil {
				continue // the path itself is a malformed pattern
			}
			for _, library := range libraries {
				if real, err := filepath.EvalSymlinks(library); err == nil {
					add(filepath.Dir(real))
				}
			}
		}
	}
	return folders
}

// threadNames is the folder of the files that set threads' names. CUDA names its threads when it starts,
// and fails with error 304 (operating system) if it may not.
const threadNames = "/proc/self/task"
