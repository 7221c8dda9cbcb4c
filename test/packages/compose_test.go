package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// compose is all that the files may say; anything else is a mistake.
type compose struct {
	Node     any                `yaml:"x-tutti"`
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
	Secrets  map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
}

type service struct {
	Image       string         `yaml:"image"`
	Command     []string       `yaml:"command"`
	Ports       []string       `yaml:"ports"`
	Volumes     []string       `yaml:"volumes"`
	Restart     string         `yaml:"restart"`
	Grace       string         `yaml:"stop_grace_period"`
	ReadOnly    bool           `yaml:"read_only"`
	Tmpfs       []string       `yaml:"tmpfs"`
	CapDrop     []string       `yaml:"cap_drop"`
	SecurityOpt []string       `yaml:"security_opt"`
	Ulimits     map[string]int `yaml:"ulimits"`
	Secrets     []string       `yaml:"secrets"`
	DependsOn   []string       `yaml:"depends_on"`
	NetworkMode string         `yaml:"network_mode"`
	GroupAdd    []string       `yaml:"group_add"`
	Deploy      struct {
		Resources struct {
			Reservations struct {
				Devices []struct {
					Driver, Count string
					Capabilities  []string
				}
			}
		}
	} `yaml:"deploy"`
}

var variable = regexp.MustCompile(`\$\{\w+:([-?])([^}]*)\}`)

func TestComposeFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(root + "/deploy/compose/*.yml")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%v, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text := variable.ReplaceAllStringFunc(read(t, path), func(s string) string {
				if m := variable.FindStringSubmatch(s); m[1] == "-" {
					return m[2]
				}
				return "given"
			})
			d := yaml.NewDecoder(strings.NewReader(text))
			d.KnownFields(true)
			var c compose
			if err := d.Decode(&c); err != nil {
				t.Fatal(err)
			}
			for name, s := range c.Services {
				c.check(t, name, s)
			}
		})
	}
}

// check has the program validate a service's flags, and what they name be there.
func (c *compose) check(t *testing.T, name string, s service) {
	t.Helper()
	for _, v := range s.Volumes {
		source, _, _ := strings.Cut(v, ":")
		if _, ok := c.Volumes[source]; !ok && !strings.HasPrefix(source, "/") && !strings.HasPrefix(source, "./") {
			t.Errorf("%s: no volume %s", name, source)
		}
	}
	for _, secret := range s.Secrets {
		if c.Secrets[secret].File == "" {
			t.Errorf("%s: no secret %s", name, secret)
		}
	}
	for _, other := range s.DependsOn {
		if _, ok := c.Services[other]; !ok {
			t.Errorf("%s depends on %s, which is no service", name, other)
		}
	}
	if s.Image != "tutti:given" {
		return
	}
	if s.Restart == "" || s.Grace == "" || len(s.Command) == 0 {
		t.Errorf("%s: restart, stop_grace_period or command is missing", name)
	}
	models, secret := filepath.Join(t.TempDir(), "models.json"), filepath.Join(t.TempDir(), "secret")
	entry := `[{"pipeline": "llm", "model_id": "meta-llama/Meta-Llama-3.1-8B-Instruct", "warm": true, "price_per_unit": ` +
		`0, "pixels_per_unit": 1000000, "url": "http://models:8000"}]`
	for path, text := range map[string]string{models: entry, secret: "of the pool"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"config", "check"}
	inside := strings.NewReplacer("/etc/tutti/models.json", models, "/run/secrets/pool", secret)
	for _, flag := range s.Command {
		args = append(args, inside.Replace(flag))
	}
	// The status also reports GPUs, which this machine need not have.
	said, _ := exec.Command(programs+"/tutti", args...).CombinedOutput()
	takesStreams := slices.Contains(s.Command, "-gateway") && slices.Contains(s.Command, "-transcoder")
	if takesStreams && strings.Contains(string(said), "write -httpIngest to take segments") {
		t.Errorf("%s takes no streams: %s", name, said)
	}
	// A port that is published for this machine is reached by the pages in its browser as well.
	if slices.Contains(s.Command, "-streamAccess=open") {
		t.Errorf("%s is open to web pages", name)
	}
	if !strings.Contains(string(said), "The configuration is valid") {
		t.Errorf("%s: %v: %s", name, args, said)
	}
}
