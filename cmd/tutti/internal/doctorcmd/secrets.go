package doctorcmd

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
)

// secrets finds where each secret was given: options whose value is masked.
func (in *inspection) secrets(context.Context) ([]doctor.SecretLocation, error) {
	var out []doctor.SecretLocation
	fileHas := ""
	for _, s := range in.cfg.Settings() {
		if !strings.Contains(s.Value, "***") {
			continue
		}
		switch s.Origin.Source {
		case config.FromFlag:
			out = append(out, in.given(s.Option, "argument", argument(in.Args, s.Origin.Name)))
		case config.FromEnv:
			out = append(out, in.given(s.Option, "environment", variable(in.Environ, s.Origin.Name)))
		case config.FromFile:
			fileHas = s.Origin.File
			if value := inFile(s.Origin); value != "" {
				if p := in.given(s.Option, "", value); p.File {
					out = append(out, p)
				}
			}
		}
	}
	if fileHas != "" {
		out = append(out, place("config", fileHas))
	}
	if path := filepath.Join(in.cfg.Storage.DataDir, adminapi.TokenFile); exists(path) {
		out = append(out, place(adminapi.TokenFile, path))
	}
	return out, nil
}

// given returns a secret that an option names: the file where the value is one's path.
func (in *inspection) given(option, where, value string) doctor.SecretLocation {
	path := value
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if value != "" && exists(path) {
		return place(option, path)
	}
	return doctor.SecretLocation{Option: option, Where: where}
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func place(option, path string) doctor.SecretLocation {
	p := doctor.SecretLocation{Option: option, Where: path, File: true}
	if info, err := os.Stat(path); err == nil {
		p.Mode, p.Group = mode(info), groupReads(info)
		keep := fs.FileMode(0o700)
		if p.Group {
			keep = 0o740 // without its group the node could not read it any more
		}
		p.Repair = chmod(path, info.Mode().Perm()&keep)
	}
	return p
}

// argument returns the value of a flag on the command line.
func argument(args []string, name string) string {
	for i, arg := range args {
		flag, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-") || flag != name:
		case joined:
			return value
		case i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// inFile returns the value of a key in the configuration file.
func inFile(o config.Origin) string {
	text, err := os.ReadFile(o.File)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if o.Line < 1 || o.Line > len(lines) {
		return ""
	}
	_, value, _ := strings.Cut(strings.TrimSpace(lines[o.Line-1]), " ")
	return strings.TrimSpace(value)
}
