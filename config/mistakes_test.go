package config_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// fixture is a configuration file whose first comments say how it is used and
// what is to be said about it.
type fixture struct {
	name      string
	args, env []string
	content   []byte
	want      []string
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/bad/*.bad.conf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var all []fixture
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{name: strings.TrimSuffix(filepath.Base(path), ".bad.conf"), content: content}
		lines := bufio.NewScanner(strings.NewReader(string(content)))
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "# args: "); ok {
				f.args = strings.Fields(rest)
			}
			if rest, ok := strings.CutPrefix(lines.Text(), "# env: "); ok {
				f.env = strings.Fields(rest)
			}
			if rest, ok := strings.CutPrefix(lines.Text(), "# want: "); ok {
				f.want = append(f.want, rest)
			}
		}
		all = append(all, f)
	}
	return all
}

// input is what Load gets for the fixture: its file is node.conf, and the other
// files are what some options point to.
func (f fixture) input() config.Input {
	in := input(append([]string{"-config", "node.conf"}, f.args...)...)
	in.Environ = f.env
	in.ReadFile = files(map[string]string{
		"node.conf": string(f.content), "binary": "\xff\xfe", "empty": "\n", "node.conf.json": "{",
		"wide.json": `[{"name":"x","width":-1}]`,
		"prices.json": "{\"gateways\": [\n  {\"ethaddress\": \"0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612\", " +
			"\"priceperunit\": 1200,\n   \"pixelperunit\": 1}]}",
	})
	if len(f.env) > 0 && f.env[0] == "HOMELESS=1" {
		in.Home = ""
	}
	return in
}

func input(args ...string) config.Input {
	return config.Input{Args: args, ReadFile: files(nil), Home: "/home/op"}
}

// files is a file system in memory; the file "forbidden" may not be read.
func files(content map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if path == "forbidden" {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		if text, ok := content[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

func TestEachMistakeHasItsMessage(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := config.Load(f.input())
			if err == nil {
				t.Fatalf("no problem found, want %q", f.want)
			}
			if got, want := err.Error(), strings.Join(f.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Every code of configuration mistakes is produced by some fixture, and can be
// found by errors.Is and fault.CodeOf.
func TestEachCodeIsProduced(t *testing.T) {
	t.Parallel()
	seen := map[fault.Code]bool{}
	for _, f := range fixtures(t) {
		_, _, err := config.Load(f.input())
		problems, ok := errors.AsType[config.Problems](err)
		if !ok {
			t.Fatalf("%s: the error is a %T", f.name, err)
		}
		for _, p := range problems {
			seen[p.Code] = true
			if !errors.Is(err, p.Code) {
				t.Errorf("%s: errors.Is does not find %s", f.name, p.Code)
			}
		}
		if fault.CodeOf(err) != problems[0].Code {
			t.Errorf("%s: CodeOf is %s, want %s", f.name, fault.CodeOf(err), problems[0].Code)
		}
	}
	for _, code := range []fault.Code{
		fault.NoRole, fault.ContradictoryRoles, fault.RoleIncomplete, fault.UnknownOption,
		fault.UnknownConfigKey, fault.BadOption, fault.MissingOption, fault.OptionConflict, fault.OptionRetired,
		fault.OptionUnsupported, fault.UnexpectedArgument, fault.ConfigUnreadable,
	} {
		if !seen[code] {
			t.Errorf("no fixture produces %s", code)
		}
	}
}
