package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// imageUser is the user ID that a container runs as, outside the range that hosts assign.
const imageUser = 10001

// triples are the folders of libraries.
func triples() map[string]string {
	return map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
}

// loaders are the dynamic loaders: where Debian has them and where programs look.
func loaders() map[string][2]string {
	return map[string][2]string{
		"amd64": {"lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2"},
		"arm64": {"lib/aarch64-linux-gnu/ld-linux-aarch64.so.1", "lib/ld-linux-aarch64.so.1"},
	}
}

// carried are the C library's parts: those that programs are linked with, and what
// NVIDIA's driver libraries, which the container engine adds, need.
func carried() []string {
	return []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2",
		"libnss_files.so.2", "libnss_dns.so.2"}
}

// imageArchive returns what docker load and podman load read: the programs, the C library,
// authorities and time zones, and nothing else, no shell either.
func (r *release) imageArchive(files []file) ([]string, error) {
	if r.image == "" {
		return nil, nil
	}
	root, err := r.imageFiles(files)
	if err != nil {
		return nil, err
	}
	var layer bytes.Buffer
	if err := writeTar(&layer, "", root, r.time); err != nil {
		return nil, err
	}
	config, err := json.Marshal(r.imageConfig(sha256.Sum256(layer.Bytes())))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%x.json", sha256.Sum256(config))
	manifest, err := json.Marshal([]map[string]any{{"Config": name, "RepoTags": []string{"tutti:" + imageTag(r.version)},
		"Layers": []string{"layer.tar"}}})
	if err != nil {
		return nil, err
	}
	out := r.named("-image.tar.gz")
	return []string{out}, writeFile(out, packed(func(w io.Writer) error {
		return writeTar(w, "", []file{
			{path: name, mode: 0o644, data: config},
			{path: "layer.tar", mode: 0o644, data: layer.Bytes()},
			{path: "manifest.json", mode: 0o644, data: manifest},
		}, r.time)
	}))
}

// imageTag returns a version as tags may be written.
func imageTag(version string) string { return strings.ReplaceAll(version, "+", "-") }

// imageFiles returns the image's root.
func (r *release) imageFiles(files []file) ([]file, error) {
	out := []file{
		{path: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil,
			"root:x:0:0:root:/:/sbin/nologin\ntutti:x:%d:%[1]d:tutti:/var/lib/tutti:/sbin/nologin\n", imageUser)},
		{path: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\ntutti:x:%d:\n", imageUser)},
		{path: "etc/nsswitch.conf", mode: 0o644, data: []byte("passwd: files\ngroup: files\nhosts: files dns\n")},
		// NVIDIA's container tools look at this to know where libraries go.
		{path: "etc/debian_version", mode: 0o644, data: []byte("12\n")},
		{path: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{path: "var/lib/tutti", mode: fs.ModeDir | 0o700, owner: imageUser},
	}
	copies := map[string]string{loaders()[r.arch][0]: loaders()[r.arch][1]}
	for _, name := range carried() {
		copies["lib/"+triples()[r.arch]+"/"+name] = "usr/lib/" + triples()[r.arch] + "/" + name
	}
	for from, to := range copies {
		data, err := os.ReadFile(filepath.Join(r.image, from))
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: to, mode: 0o755, data: data})
	}
	authorities, err := r.authorities()
	if err != nil {
		return nil, err
	}
	zones, err := os.ReadFile(r.zones)
	if err != nil {
		return nil, err
	}
	out = append(out, file{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities},
		file{path: "usr/share/zoneinfo.zip", mode: 0o644, data: zones})
	for _, f := range files {
		if strings.HasPrefix(f.path, "usr/bin/") || strings.HasPrefix(f.path, docs+"/sbom") || f.path == docs+"/copyright" {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// authorities returns all of Mozilla's, in one file.
func (r *release) authorities() ([]byte, error) {
	paths, err := filepath.Glob(filepath.Join(r.image, "usr/share/ca-certificates/mozilla/*.crt"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no authorities: %w", r.image, err)
	}
	var out []byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out = append(append(out, bytes.TrimSpace(data)...), '\n')
	}
	return out, nil
}

// imageConfig returns what an engine wants to know.
func (r *release) imageConfig(layer [sha256.Size]byte) map[string]any {
	when := r.time.Format("2006-01-02T15:04:05Z")
	return map[string]any{
		"architecture": r.arch, "os": "linux", "created": when,
		"config": map[string]any{
			"Entrypoint": []string{"/usr/bin/tutti"},
			"User":       fmt.Sprintf("%d:%[1]d", imageUser),
			"WorkingDir": "/var/lib/tutti",
			"Volumes":    map[string]any{"/var/lib/tutti": struct{}{}},
			"StopSignal": "SIGTERM",
			"Env": []string{
				"PATH=/usr/bin", "HOME=/var/lib/tutti", "TUTTI_DATA_DIR=/var/lib/tutti", "ZONEINFO=/usr/share/zoneinfo.zip",
				"MALLOC_ARENA_MAX=2", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility",
			},
			"Labels": map[string]string{
				"org.opencontainers.image.title": "tutti", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.licenses": combinedLicense, "org.opencontainers.image.created": when,
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", layer)}},
		"history": []map[string]any{{"created": when, "created_by": "make packages"}},
	}
}
