package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// gpuReadable is what a GPU's driver reads beyond what every worker may: its
// profiles, and where distributions that share nothing put it.
// Debian's links to its libraries lead through /etc/alternatives.
func gpuReadable() []string { return []string{"/usr/share/nvidia", "/etc/alternatives"} }

// gpuLibraries are folders of libraries that lead elsewhere.
func gpuLibraries() []string { return []string{"/run/opengl-driver/lib"} }

// gpuNodes returns the files through which a driver is spoken to. The driver makes
// them when it is opened first, which is before the doors close.
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

// libraryFolders returns the folders among paths that exist, and those to which the
// driver's libraries in them lead: a kernel that guards a folder looks at where a
// link ends. The root is never one of them, nor is what is not absolute.
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
				continue // a path with the pattern's own characters leads nowhere
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

// threadNames is where threads get their names. CUDA gives its own one while it
// starts, and takes a refusal for a broken system (error 304).
const threadNames = "/proc/self/task"
