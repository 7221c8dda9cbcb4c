package initcmd_test

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/cmd/tutti/internal/initcmd"
	"github.com/tuttinode/tutti/config"
)

var update = flag.Bool("update", false, "write the files again")

var here = initcmd.Places{
	Config: "/home/op/.config/tutti/tutti.conf", Passphrase: "/home/op/.config/tutti/ethPassword",
	OrchSecret: "/home/op/.config/tutti/orchSecret",
	Unit:       "/home/op/.config/tutti/tutti.service", Program: "/home/op/bin with space/tutti",
}

var packaged = initcmd.Places{
	Config: "/etc/tutti/tutti.conf", Passphrase: "/etc/credstore/tutti.ethPassword", OrchSecret: "/etc/tutti/orchSecret",
	Credential: true,
	DataDir:    "/var/lib/tutti/arbitrum-one-mainnet", KeepOut: true,
}

// given are the texts that an operator types for a role.
func given(role string) initcmd.Answers {
	return initcmd.Answers{
		initcmd.Role: role, initcmd.Network: initcmd.MainNet,
		initcmd.Endpoint:    "https://a.example.org/KEY,https://b.example.org",
		initcmd.ServiceAddr: "orch.example.org:8935",
		initcmd.Price:       "0.1USD", initcmd.MaxPrice: "1200", initcmd.Devices: "all", initcmd.Models: "/srv/aiModels.json",
		initcmd.OrchestratorAddr: "orch.example.org:8935",
		initcmd.OrchestratorPass: "shared secret", initcmd.Passphrase: "a passphrase of many words",
	}
}

// answer goes through the questions as an operator does, and counts them.
func answer(a initcmd.Answers, f initcmd.Found, typed initcmd.Answers) (asked int) {
	for {
		q, more := initcmd.Next(a, f)
		if !more {
			return asked
		}
		asked++
		a[q.Key] = typed[q.Key]
	}
}

var roles = []string{initcmd.Orchestrator, initcmd.AI, initcmd.Transcoder, initcmd.AIWorker, initcmd.Gateway}

// What is written for each role, and the node's own rules take it.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		for where, places := range map[string]initcmd.Places{"user": here, "packaged": packaged} {
			for _, network := range []string{initcmd.MainNet, initcmd.Offchain} {
				name := role + "." + where + "." + network
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					typed, a := given(role), initcmd.Answers{}
					typed[initcmd.Network] = network
					if n := answer(a, initcmd.Found{}, typed); n > 7 {
						t.Errorf("%d questions", n)
					}
					files := initcmd.Files(a, places)
					takes(t, files)
					golden(t, filepath.Join("testdata", name+".txt"), files)
				})
			}
		}
	}
}

func golden(t *testing.T, path string, files []initcmd.File) {
	t.Helper()
	var b strings.Builder
	for _, f := range files {
		b.WriteString("== " + f.Path + "\n" + f.Content)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("written is\n%s\nwant\n%s", &b, want)
	}
}

// takes checks the files by the node's own rules.
func takes(t interface {
	Helper()
	Fatalf(string, ...any)
}, files []initcmd.File) {
	t.Helper()
	at := map[string]string{"/srv/aiModels.json": "[]"}
	for _, f := range files {
		at[f.Path] = f.Content
	}
	_, notices, err := config.Load(config.Input{Args: []string{"-config", files[0].Path}, Home: "/home/op",
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := at[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}})
	if err != nil || len(notices) > 0 {
		t.Fatalf("%v %v in\n%s", err, notices, files[0].Content)
	}
}

// Secrets are in files of their own, and no configuration quotes one.
func TestSecretsStayApart(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		a := initcmd.Answers{}
		answer(a, initcmd.Found{}, given(role))
		for _, f := range initcmd.Files(a, here) {
			if !f.Secret && (strings.Contains(f.Content, "shared secret") || strings.Contains(f.Content, "many words")) {
				t.Errorf("%s: %s has a secret", role, f.Path)
			}
		}
		a[initcmd.Passphrase], a[initcmd.OrchestratorPass] = "/run/p", "/run/s"
		for _, f := range initcmd.Files(a, here) {
			if f.Secret {
				t.Errorf("%s: %s is written, though a file was named", role, f.Path)
			}
		}
	}
}

// What is found becomes the default, and an existing node is named.
func TestDefaultsComeFromTheMachine(t *testing.T) {
	t.Parallel()
	found := initcmd.Found{GPUs: []string{"0: L4"}, Address: "203.0.113.7", OldNode: "/home/op/.lpData/x",
		OldAccount: "0x7E5F", ModelsFile: "/m.json", Docker: true}
	q, _ := initcmd.Next(initcmd.Answers{}, found)
	if q.Key != initcmd.Role || len(q.Help) == 0 || !strings.Contains(q.Help[0], found.OldNode) {
		t.Errorf("%+v", q)
	}
	for key, want := range map[initcmd.Key]string{initcmd.ServiceAddr: "203.0.113.7:8935", initcmd.Devices: "all"} {
		a := given(initcmd.Orchestrator)
		delete(a, key)
		if q, more := initcmd.Next(a, found); !more || q.Key != key || q.Default != want {
			t.Errorf("%s: %+v", key, q)
		}
	}
	a := given(initcmd.AI)
	delete(a, initcmd.Models)
	if q, _ := initcmd.Next(a, found); q.Default != "/m.json" || q.Needed {
		t.Errorf("%+v", q)
	}
	delete(a, initcmd.Passphrase)
	a[initcmd.Models] = "x"
	if q, _ := initcmd.Next(a, found); !strings.Contains(q.Text, "0x7E5F") || !q.Secret {
		t.Errorf("%+v", q)
	}
}

func TestReadAnswers(t *testing.T) {
	t.Parallel()
	a := initcmd.Answers{}
	if err := a.Read("# mine\nrole orchestrator\n\n  ethUrl   https://x.example.org \ngpu\n"); err != nil {
		t.Fatal(err)
	}
	if want := (initcmd.Answers{initcmd.Role: "orchestrator", initcmd.Endpoint: "https://x.example.org",
		initcmd.Devices: ""}); !maps.Equal(a, want) {
		t.Errorf("%v", a)
	}
	if err := a.Read("role x\nnetwrok secret-word"); err == nil || strings.Contains(err.Error(), "secret-word") ||
		!strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
	for text, want := range map[string]bool{"": true, "# a\n\n #b\n": true, "# a\nmonitor\n": false,
		"## x\n\ndataDir /var/lib/tutti\n\n#orchestrator\n": true, "dataDir /srv/tutti\n": false} {
		if initcmd.Empty(text) != want {
			t.Errorf("%q", text)
		}
	}
}

// Every question explains itself, and one with choices has a likely one.
func TestQuestionsExplainThemselves(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		a := initcmd.Answers{initcmd.Role: role}
		for q, more := initcmd.Next(a, initcmd.Found{}); more; q, more = initcmd.Next(a, initcmd.Found{}) {
			if len(q.Why) == 0 {
				t.Errorf("%s has no explanation", q.Key)
			}
			if likely := slices.ContainsFunc(q.Choices,
				func(c initcmd.Choice) bool { return c.Value == q.Default }); len(q.Choices) > 0 && !likely {
				t.Errorf("%s has no likely answer", q.Key)
			}
			a[q.Key] = cmp.Or(q.Default, "x")
		}
	}
}

// However it is answered, there are at most seven questions, and they end.
func TestSevenQuestions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typed := given(rapid.SampledFrom(roles).Draw(t, "role"))
		typed[initcmd.Network] = rapid.SampledFrom([]string{initcmd.MainNet, initcmd.Offchain, "other"}).Draw(t, "network")
		if n := answer(initcmd.Answers{}, initcmd.Found{Docker: rapid.Bool().Draw(t, "docker")}, typed); n < 3 || n > 7 {
			t.Fatalf("%d questions", n)
		}
	})
}

// FuzzAnswers: no file of answers makes anything but answers or an error.
func FuzzAnswers(f *testing.F) {
	f.Add("role gateway\nethUrl x")
	f.Add("\x00 \n\t#")
	f.Fuzz(func(t *testing.T, text string) {
		a := initcmd.Answers{}
		if a.Read(text) == nil {
			for key := range a {
				if key == "" {
					t.Error(a)
				}
			}
		}
	})
}
