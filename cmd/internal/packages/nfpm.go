package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/template"
)

// linux makes the debs and the rpms of the node and of the tools.
func (r *release) linux(files []file, glibc string) ([]string, error) {
	out, err := r.pack("tutti", "nfpm.yaml", files, glibc)
	if err != nil {
		return nil, err
	}
	extra, err := r.toolFiles()
	if err != nil {
		return nil, err
	}
	made, err := r.pack("tutti-tools", "tools.yaml", extra, glibc)
	return append(out, made...), err
}

// pack makes a deb and an rpm: nfpm packs a staging folder that is laid out like the target
// system, with a configuration made from a template in deploy/nfpm.
func (r *release) pack(name, templateName string, files []file, glibc string) ([]string, error) {
	if r.nfpm == "" {
		return nil, nil
	}
	stage, err := os.MkdirTemp("", "packages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := r.writeStage(stage, files); err != nil {
		return nil, err
	}
	config, err := r.renderConfig(stage, templateName, files, glibc)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, kind := range []string{"deb", "rpm"} {
		path, err := filepath.Abs(r.namedAs(name, "."+kind))
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(r.nfpm, "package", "--config", config, "--packager", kind, "--target", path)
		cmd.Dir = stage
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
		if output, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("nfpm makes the %s: %w: %s", kind, err, output)
		}
		out = append(out, r.namedAs(name, "."+kind))
	}
	return out, nil
}

// writeStage writes files below dir, all with the release's time.
func (r *release) writeStage(dir string, files []file) error {
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
		if err := os.Chtimes(path, r.time, r.time); err != nil {
			return err
		}
	}
	return nil
}

// renderConfig fills in the template of nfpm's configuration and returns the path of the result.
func (r *release) renderConfig(stage, name string, files []file, glibc string) (string, error) {
	from := filepath.Join(r.tree, "deploy/nfpm")
	t, err := template.ParseFiles(filepath.Join(from, name))
	if err != nil {
		return "", err
	}
	scripts, err := filepath.Abs(filepath.Join(from, "scripts"))
	if err != nil {
		return "", err
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Version": r.version, "Arch": r.arch, "Glibc": glibc, "Time": r.time.Format("2006-01-02T15:04:05Z"),
		"Scripts": scripts, "Files": paths, "License": combinedLicense,
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(stage, "nfpm.yaml")
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}
