package models_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// fixture is a models file, how it is read and what is to be said about it: the
// lines of the text file next to it.
type fixture struct {
	name, path string
	content    string
	options    string
	// problems and notices are exact. schema is accepts or refuses.
	problems, notices []string
	schema            string
	// entries are the valid ones as TestEntries prints them.
	entries []string
}

func fixtures(t testing.TB, dir string) []fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + dir + "/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s: %v", dir, err)
	}
	var all []fixture
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{name: strings.TrimSuffix(filepath.Base(path), ".json"), path: path, content: string(content)}
		f.readWants(t)
		all = append(all, f)
	}
	return all
}

func (f *fixture) readWants(t testing.TB) {
	t.Helper()
	file, err := os.Open(strings.TrimSuffix(f.path, ".json") + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch strings.TrimSuffix(key, ":") {
		case "options":
			f.options = value
		case "schema":
			f.schema = value
		case "problem":
			f.problems = append(f.problems, value)
		case "notice":
			f.notices = append(f.notices, value)
		case "entry":
			f.entries = append(f.entries, value)
		default:
			t.Fatalf("%s: %q means nothing", f.name, lines.Text())
		}
	}
}

// load reads the fixture as aiModels.json.
func (f *fixture) load(t testing.TB) (*models.Config, []models.Notice, error) {
	t.Helper()
	return models.Load(f.loadOptions(t))
}

func (f *fixture) loadOptions(t testing.TB) models.Options {
	t.Helper()
	// Most are about something else than how many fit on a device.
	o := models.Options{Value: "aiModels.json", ContainersPerGPU: 100}
	content := map[string]string{
		"aiModels.json": f.content,
		"own.txt":       "# ours\nllm acme/own\n",
	}
	for _, word := range strings.Fields(f.options) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "offchain":
			o.Offchain = true
		case "serverless":
			o.Serverless = true
		case "unverified":
			o.AllowUnverified = true
		case "verified":
			o.VerifiedFile = value
		case "devices":
			o.Devices = devices(t, value)
		case "share":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			o.ContainersPerGPU = n
		case "price":
			o.DefaultPrice = core.UnitPrice{Price: price(t, value), PixelsPerUnit: 1}
		case "hub":
			o.ModelsDir = "/models"
			content["/models/models--meta-llama--Meta-Llama-3.1-8B-Instruct/refs/main"] = "5206a32e\n"
			content["/models/models--meta-llama--Meta-Llama-3.1-8B-Instruct/snapshots/5206a32e/config.json"] =
				`{"num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8}`
		default:
			t.Fatalf("%s: no such option %q", f.name, word)
		}
	}
	o.ReadFile = files(content)
	return o
}

// devices reads "24,24" or "80*4": gigabytes, numbered from 0.
func devices(t testing.TB, text string) (out []models.Device) {
	t.Helper()
	for _, part := range strings.Split(text, ",") {
		size, times, repeated := strings.Cut(part, "*")
		n := 1
		if repeated {
			n, _ = strconv.Atoi(times)
		}
		gb, err := strconv.ParseFloat(size, 64)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			out = append(out, models.Device{ID: strconv.Itoa(len(out)), MemoryBytes: int64(gb * models.GB)})
		}
	}
	return out
}

func price(t testing.TB, text string) core.Price {
	t.Helper()
	p, err := core.ParsePrice(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// files is a file system in memory; the file "forbidden" may not be read and
// "broken" cannot be.
func files(content map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		switch text, ok := content[path]; {
		case path == "forbidden":
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		case path == "broken":
			return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("input/output error")}
		case ok:
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

func problemLines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func noticeLines(notices []models.Notice) (out []string) {
	for _, n := range notices {
		out = append(out, n.String())
	}
	return out
}

// entryLine prints what matters of an entry.
func entryLine(e *models.Entry) string {
	var b strings.Builder
	b.WriteString(e.Position.String() + " " + e.Model.String())
	if e.Warm {
		b.WriteString(" warm")
	}
	if e.External() {
		b.WriteString(" at " + e.URL + " as " + e.Served())
		if e.Shared {
			b.WriteString(" shared")
		}
	}
	if !e.Token.IsZero() {
		b.WriteString(" token " + e.Token.String())
	}
	if e.Capacity > 0 {
		b.WriteString(" capacity " + strconv.Itoa(e.Capacity))
	}
	for _, p := range e.Prices {
		b.WriteString(" | " + p.Price.String())
		if p.FromFlags {
			b.WriteString(" (flags)")
		}
		if !p.Gateway.IsZero() {
			b.WriteString(" for " + p.Gateway.String())
		}
	}
	if !e.External() {
		b.WriteString(" | gpus " + e.GPUs.String() + " vram " + strconv.FormatInt(e.VRAM, 10))
	}
	if f := e.Features; f != (inference.Abilities{}) {
		fmt.Fprintf(&b, " | has %s lacks %s context %d", f.Has.Words(), f.Lacks.Words(), f.Context)
	}
	if e.Image != "" {
		b.WriteString(" image " + e.Image)
	}
	if env := e.Environment(); len(env) > 0 {
		b.WriteString(" | " + env.String())
	}
	return b.String()
}
