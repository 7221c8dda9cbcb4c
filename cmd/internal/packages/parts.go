package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// part is something that a release is made of.
type part struct {
	name, version, license string
	// purl says where it comes from, in the form that scanners know.
	purl string
	// image is true for what only the container image holds.
	image bool
}

// combinedLicense is that of the programs as a whole: x264 is under the GPL 2 or later,
// go-ethereum under the LGPL 3, and others under the Apache license 2.0, which the
// GPL allows from version 3 on.
const combinedLicense = "GPL-3.0-or-later"

// sources are the licenses of what deploy/deps builds, by the name of the package, with
// the configuration that is used.
func sources() map[string]string {
	return map[string]string{
		"ffmpeg": "GPL-2.0-or-later", "x264": "GPL-2.0-or-later", "dav1d": "BSD-2-Clause", "zlib": "Zlib",
		"lame":                "LGPL-2.0-or-later",
		"libffmpeg-nvenc-dev": "MIT", "libc6": "LGPL-2.1-or-later", "ca-certificates": "MPL-2.0",
	}
}

// parts returns all parts of the release, by name.
func (r *release) parts() ([]part, error) {
	out, err := r.modulesOf()
	if err != nil {
		return nil, err
	}
	linked, err := versions(filepath.Join(r.libav, "VERSIONS"), false)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(linked, func(p part) bool { return p.name == "zlib" }) {
		z, err := pcVersion(filepath.Join(r.libav, "lib/pkgconfig/zlib.pc"))
		if err != nil {
			return nil, err
		}
		linked = append(linked, part{name: "zlib", version: z, license: sources()["zlib"], purl: "pkg:generic/zlib@" + z})
	}
	out = append(out, linked...)
	if r.image != "" {
		held, err := versions(filepath.Join(r.image, "VERSIONS"), true)
		if err != nil {
			return nil, err
		}
		out = append(out, held...)
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.purl, b.purl) })
	return out, nil
}

// versions reads lines of name and version, as deploy/deps writes them.
func versions(path string, image bool) ([]part, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []part
	for line := range strings.Lines(string(text)) {
		name, version, ok := strings.Cut(strings.TrimSpace(line), " ")
		license := sources()[name]
		if !ok || license == "" {
			return nil, fmt.Errorf("%s: the license of %q is not known: add it to sources", path, name)
		}
		// Sources come without Debian's own revision, headers and libraries with it.
		out = append(out, part{name: name, version: version, license: license, image: image,
			purl: "pkg:deb/debian/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")})
	}
	return out, nil
}

func pcVersion(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "Version:"); ok {
			return strings.TrimSpace(v), nil
		}
	}
	return "", fmt.Errorf("%s names no version", path)
}

// modulesOf returns the Go modules in the programs, and Go itself.
func (r *release) modulesOf() ([]part, error) {
	found := map[string]part{}
	for _, name := range allPrograms() {
		info, err := buildinfo.ReadFile(filepath.Join(r.programs, name))
		if err != nil {
			return nil, err
		}
		std := strings.TrimPrefix(info.GoVersion, "go")
		found["std"] = part{name: "std", version: std, license: "BSD-3-Clause", purl: "pkg:golang/std@" + std}
		for _, m := range info.Deps {
			for m.Replace != nil {
				m = m.Replace
			}
			license, err := moduleLicense(r.modules, m.Path, m.Version)
			if err != nil {
				return nil, err
			}
			found[m.Path] = part{name: m.Path, version: m.Version, license: license, purl: "pkg:golang/" + m.Path + "@" +
				m.Version}
		}
	}
	var out []part
	for _, p := range found {
		out = append(out, p)
	}
	return out, nil
}
