package guides

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGuides does every command of every guide, in the guide's order.
func TestGuides(t *testing.T) {
	world := newWorld(t)
	t.Run("guides", func(t *testing.T) {
		for name, blocks := range documents(t) {
			if !slices.ContainsFunc(blocks, block.runs) {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(name), ".md"), func(t *testing.T) {
				t.Parallel()
				w := newWalk(t, world, name)
				for _, b := range blocks {
					w.do(b)
				}
				w.stop()
			})
		}
	})
}

// runs says whether there is something to do in a block.
func (b block) runs() bool {
	return len(b.commands()) > 0 || b.label == "python" || b.label == "javascript"
}

// do does what a block says.
func (w *walk) do(b block) {
	w.t.Helper()
	switch b.label {
	case "python":
		w.write("example.py", b)
		w.shell("python3 example.py")
	case "javascript":
		w.write("example.cjs", b)
		w.shell("node example.cjs")
	}
	for _, c := range b.commands() {
		if why := unknown(c); why != "" {
			w.t.Errorf("%s:%d: %s\n%s", w.name, b.line, c, why)
			continue
		}
		w.command(c)
	}
}

// write writes a block into a file of the working folder.
func (w *walk) write(name string, b block) {
	w.must(os.WriteFile(w.path("work", name), []byte(w.here(strings.Join(b.text, "\n"))+"\n"), 0o600))
}

// command does one command in the way that fits it.
func (w *walk) command(c string) {
	w.t.Helper()
	names := programs(c)
	for _, name := range names {
		if row, listed := outside[name]; listed {
			if row.check != nil {
				row.check(w, c)
			}
			return
		}
	}
	switch {
	case names[0] == "=":
		w.assign(c)
	case startsNode(c):
		w.start(c)
	case startsChain(c):
		w.startChain(c)
	case answered[verb(c)] != "":
		w.shell(uncommented(c) + " " + answered[verb(c)])
	case strings.Contains(uncommented(c), " -store "):
		w.parses(c)
	default:
		w.shell(c)
	}
}

// assign sets a variable once, for the commands that follow.
func (w *walk) assign(c string) {
	w.t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(c, "export "), "=")
	out := w.shell(uncommented(c) + "\nprintf '\\n%s' \"$" + name + "\"")
	value := out[strings.LastIndex(out, "\n")+1:]
	if value == "" {
		w.t.Errorf("%s: %s\nsets nothing:\n%s", w.name, c, out)
	}
	w.said = append(w.said, "export "+name+"='"+value+"'")
}

// answered are commands that ask a person, and what they are told instead.
var answered = map[string]string{
	"tutti init": "--yes --role orchestrator --network offchain --serviceAddr 127.0.0.1:8935 --gpu cpu --skipChecks " +
		"--publicIPLookup none --dir init",
}

// verb is a command's program with the word after it.
func verb(c string) string {
	words := strings.Fields(strings.TrimPrefix(unprivileged(uncommented(c)), "bin/"))
	return strings.Join(words[:min(2, len(words))], " ")
}

// parses runs a command that needs a database which is not there: it must come as far
// as to say so, and not stumble over its own options.
func (w *walk) parses(c string) {
	w.t.Helper()
	if out, status := w.bash(w.here(c)); status != 1 || strings.Contains(out, "usage:") {
		w.t.Errorf("%s: %s\nends with %d:\n%s", w.name, c, status, out)
	}
}
