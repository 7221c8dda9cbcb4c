package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// counter is randomness that is no surprise.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.n
		c.n++
	}
	return len(p), nil
}

// keyHome runs `tutti key` on one data directory.
type keyHome struct {
	t      *testing.T
	dir    string
	random counter
}

var keyHomeNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// run is one call; what comes back is its status and what it wrote.
func (d *keyHome) run(args ...string) (status int, stdout, stderr string) {
	d.t.Helper()
	var out, errs strings.Builder
	tool := keyTool{now: func() time.Time { return keyHomeNow }, random: &d.random, stdout: &out, stderr: &errs}
	if d.dir != "" {
		args = append(args, "-dataDir", d.dir)
	}
	return tool.run(d.t.Context(), args), out.String(), errs.String()
}

// ok is a call that succeeds; what it wrote on standard output comes back.
func (d *keyHome) ok(args ...string) string {
	d.t.Helper()
	status, stdout, stderr := d.run(args...)
	if status != ExitOK {
		d.t.Fatalf("%q: status %d: %s", args, status, stderr)
	}
	return stdout
}

func TestKeyCommand(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: filepath.Join(t.TempDir(), "new")}
	const secret = "tk-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq\n"
	if got := d.ok("create", "-name", "app", "-models", "llama*,qwen/3", "-rpm", "60", "-tpm", "1000", "-concurrency", "4",
		"-budget", "1000000", "-period", "month", "-expires", "30d"); got != secret {
		t.Errorf("the secret is %q", got)
	}
	d.ok("create", "-name", "open")
	d.ok("create", "-name", "gone")
	d.ok("limits", "app", "-rpm", "0", "-models", "llama*", "-expires", "2027-01-31")
	if got := d.ok("revoke", "gone"); got != "key gone (k-6a6b6c6d6e) revoked\n" {
		t.Errorf("%q", got)
	}
	d.use("k-2021222324", apikeys.Usage{Period: apikeys.Month, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Used: 1234, Reserved: 56, Requests: 7})
	d.use("k-4546474849", apikeys.Usage{Period: apikeys.Total, Used: 99})
	want := "" +
		"ID            NAME  STATE    MODELS  RPM  TPM   CONCURRENCY  USED        BUDGET             EXPIRES\n" +
		"k-2021222324  app   good     llama*  -    1000  4            1234 (+56)  1000000 per month  2027-02-01\n" +
		"k-4546474849  open  good     all     -    -     -            99          -                  never\n" +
		"k-6a6b6c6d6e  gone  revoked  all     -    -     -            0           -                  never\n"
	if got := d.ok("list"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.json()
}

// use writes a key's counts as a node does.
func (d *keyHome) use(id string, u apikeys.Usage) {
	d.t.Helper()
	s, err := apikeystore.OpenStore(d.t.Context(), d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	u.ID = id
	if err := s.SaveUsage(d.t.Context(), []apikeys.Usage{u}); err != nil {
		d.t.Error(err)
	}
	if err := s.Close(); err != nil {
		d.t.Error(err)
	}
}

func (d *keyHome) json() {
	d.t.Helper()
	want := `  {
    "id": "k-2021222324",
    "name": "app",
    "state": "good",
    "models": [
      "llama*"
    ],
    "rpm": 0,
    "tpm": 1000,
    "concurrency": 4,
    "budget": 1000000,
    "period": "month",
    "used": 1234,
    "reserved": 56,
    "requests": 7,
    "expires": "2027-02-01T00:00:00Z",
    "created": "2026-03-04T05:06:07Z"
  },`
	list := d.ok("list", "-json")
	if !strings.Contains(list, want) || strings.Contains(list, "tk-") || strings.Contains(list, "secret") {
		d.t.Errorf("got %s", list)
	}
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(d.ok("create", "-name", "json", "-json")), &made); err != nil ||
		!strings.HasPrefix(made.Secret, "tk-") {
		d.t.Error(made, err)
	}
}

func TestKeyCommandMistakes(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: t.TempDir()}
	d.ok("create", "-name", "app")
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"", ExitUsage, "usage: tutti key create"},
		{"make", ExitUsage, "there is no key make"},
		{"create", ExitUsage, "the name is missing"},
		{"create -name a/b", ExitUsage, "KeyInvalid (the name has characters"},
		{"create -name b -rpm -1 -period day", ExitUsage, "rpm: -1 is not between"},
		{"create -name b -rpm x", ExitUsage, "usage: tutti key create"},
		{"create -name b -expires soon", ExitUsage, `"soon" is not a time like 30d`},
		{"create -name b more", ExitUsage, `"more" was not expected`},
		{"create -name app", ExitFailed, "KeyNameTaken"},
		{"create -nmae app", ExitUsage, "-nmae"},
		{"revoke", ExitUsage, "name or ID is missing"},
		{"revoke nobody", ExitFailed, "KeyNotFound"},
		{"limits app", ExitUsage, "nothing to change"},
		{"limits app -json", ExitUsage, "-json"},
		{"limits app -budget -5", ExitUsage, "budget: -5"},
		{"list -name x", ExitUsage, "-name"},
	}
	for _, tt := range tests {
		status, stdout, stderr := d.run(strings.Fields(tt.args)...)
		if tt.args == "" {
			tool := keyTool{stderr: &strings.Builder{}}
			status = tool.run(t.Context(), nil)
			stderr = tool.stderr.(*strings.Builder).String()
		}
		if status != tt.status || !strings.Contains(stderr, tt.want) || stdout != "" {
			t.Errorf("%q: status %d, %s%s", tt.args, status, stdout, stderr)
		}
	}
	if got := d.ok("list"); strings.Count(got, "\n") != 2 {
		t.Errorf("something was made:\n%s", got)
	}
}

func TestKeyCommandWithoutDirectory(t *testing.T) {
	t.Parallel()
	d := &keyHome{t: t, dir: filepath.Join(t.TempDir(), "none")}
	if status, _, stderr := d.run("list"); status != ExitFailed || !strings.Contains(stderr, "KeyStoreFailed") {
		t.Errorf("%d %s", status, stderr)
	}
	d = &keyHome{t: t}
	if status, _, stderr := d.run("list", "-network", "rinkeby"); status != ExitUsage ||
		!strings.Contains(stderr, "retired") {
		t.Errorf("%d %s", status, stderr)
	}
	empty := &keyHome{t: t, dir: t.TempDir()}
	if got := empty.ok("list"); !strings.Contains(got, "no keys") {
		t.Error(got)
	}
}
