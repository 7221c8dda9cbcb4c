package kubernetes

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

const manifests = "../../deploy/kubernetes"

// folders are what an operator applies, each by itself.
var folders = []string{"orchestrator", "transcoder", "ai-worker", "gateway", "fleet"}

// object is one line of the check's output; of its object only what is read here, and the
// whole as text.
type object struct {
	Folder, Kind, Name string
	text               json.RawMessage
	Object             struct {
		Data       map[string]string
		StringData map[string]string
		Spec       struct {
			serviceSpec
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Containers []container
					Volumes    []volume
				}
			}
		}
	}
}

type container struct {
	Name         string
	Image        string
	Args         []string
	Env          []variable
	VolumeMounts []struct{ Name, MountPath string }
	Ports        []struct {
		Name          string
		ContainerPort int
	}
	ReadinessProbe struct {
		HTTPGet struct{ Path, Port string }
	}
}

// serviceSpec is a Service's.
type serviceSpec struct {
	PublishNotReadyAddresses bool
	Selector                 any
	Ports                    []struct {
		Name string
		Port int
	}
}

type volume struct {
	Name   string
	Secret *struct {
		SecretName string
		Items      []struct{ Key, Path string }
	}
	ConfigMap             *struct{ Name string }
	PersistentVolumeClaim *struct{ ClaimName string }
}

// check runs the program that knows the cluster's API on folders below root.
func check(t *testing.T, root string) ([]object, string, error) {
	t.Helper()
	args := []string{"run", ".", "-elsewhere", "tutti-workers"}
	for _, f := range folders {
		args = append(args, filepath.Join(root, f))
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = "check"
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var all []object
	for line := range strings.Lines(string(out)) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err, line)
		}
		var whole struct{ Object json.RawMessage }
		if err := json.Unmarshal([]byte(line), &whole); err != nil {
			t.Fatal(err, line)
		}
		o.text = whole.Object
		all = append(all, o)
	}
	return all, said.String(), err
}

func TestTheClusterKnowsEveryField(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	objects, said, err := check(t, root)
	if err != nil {
		t.Fatal(err, said)
	}
	nodes := 0
	for _, o := range objects {
		for _, c := range o.Object.Spec.Template.Spec.Containers {
			if c.isNode() {
				nodes++
				takes(t, objects, o, c)
			}
		}
	}
	// Each of the four by itself, and once more in the fleet.
	if nodes != 8 {
		t.Errorf("%d containers of tutti", nodes)
	}
}

// takes holds a container's options against the node's own judgment: it takes them with
// secrets of the operator's, and not with those of the manifests, which is public.
func takes(t *testing.T, objects []object, o object, c container) {
	t.Helper()
	files := mounted(objects, o, c)
	load := func(example string) ([]config.Notice, error) {
		_, notices, err := config.Load(config.Input{Args: c.Args, Home: "/", ReadFile: func(name string) ([]byte, error) {
			if content, ok := files[name]; ok {
				return []byte(strings.ReplaceAll(content, "replace-me", example)), nil
			}
			return nil, fs.ErrNotExist
		}})
		return notices, err
	}
	if _, err := load("replace-me"); err == nil || !strings.Contains(err.Error(), "which is public") {
		t.Errorf("%s %s starts with the secrets of the manifests: %v", o.Folder, o.Name, err)
	}
	notices, err := load("0123456789")
	if err != nil {
		t.Errorf("%s %s: %v", o.Folder, o.Name, err)
	}
	for _, n := range notices {
		t.Errorf("%s %s: %s", o.Folder, o.Name, n)
	}
	for _, arg := range c.Args {
		for _, path := range strings.FieldsFunc(arg, func(r rune) bool { return r == '=' || r == ' ' }) {
			if _, there := files[path]; strings.HasPrefix(path, "/run/") && !there {
				t.Errorf("%s %s: nothing is mounted at %s", o.Folder, o.Name, path)
			}
		}
	}
}

// mounted are the files that config maps and secrets put into a container.
func mounted(objects []object, o object, c container) map[string]string {
	files := map[string]string{}
	for _, m := range c.VolumeMounts {
		for _, v := range o.Object.Spec.Template.Spec.Volumes {
			if v.Name == m.Name {
				for key, content := range contents(objects, o.Folder, v) {
					files[m.MountPath+"/"+key] = content
				}
			}
		}
	}
	return files
}

// contents are a volume's files; a secret of another folder is taken from there.
func contents(objects []object, folder string, v volume) map[string]string {
	kind, name := "Secret", ""
	switch {
	case v.Secret != nil:
		name = v.Secret.SecretName
	case v.ConfigMap != nil:
		kind, name = "ConfigMap", v.ConfigMap.Name
	}
	all := map[string]string{}
	for _, o := range objects {
		if o.Kind != kind || o.Name != name || kind == "ConfigMap" && o.Folder != folder {
			continue
		}
		for key, text := range o.Object.StringData {
			all[key] = text
		}
		for key, text := range o.Object.Data {
			all[key] = text
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && kind == "Secret" {
				all[key] = string(decoded)
			}
		}
	}
	if v.Secret == nil || len(v.Secret.Items) == 0 {
		return all
	}
	some := map[string]string{}
	for _, item := range v.Secret.Items {
		some[item.Path] = all[item.Key]
	}
	return some
}

// TestWorkersGetNothingOfTheAccount: a worker has an admin token of its own, because the
// orchestrator's moves the account's money, and shares no files with the model next to it.
func TestWorkersGetNothingOfTheAccount(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	objects, said, err := check(t, root)
	if err != nil {
		t.Fatal(err, said)
	}
	tokens, workers := map[string]string{}, 0
	for _, o := range objects {
		if token := o.Object.StringData["adminToken"]; o.Kind == "Secret" && token != "" {
			if tokens[token] != "" && tokens[token] != o.Name {
				t.Errorf("%s and %s have one token", o.Name, tokens[token])
			}
			tokens[token] = o.Name
		}
		if o.Kind == "Deployment" && (o.Name == "tutti-transcoder" || o.Name == "tutti-ai-worker") {
			workers++
			isWorker(t, o)
		}
	}
	// Each of the two by itself, and once more in the fleet.
	if workers != 4 {
		t.Errorf("%d kinds of workers", workers)
	}
}

// isWorker looks at what a worker's pods get, and what their containers share.
func isWorker(t *testing.T, o object) {
	t.Helper()
	spec := o.Object.Spec.Template.Spec
	for _, v := range spec.Volumes {
		if v.Secret != nil && v.Secret.SecretName != "tutti-workers" {
			t.Errorf("%s %s gets the secret %s", o.Folder, o.Name, v.Secret.SecretName)
		}
	}
	mounts := map[string]string{}
	for _, c := range spec.Containers {
		for _, m := range c.VolumeMounts {
			if other := mounts[m.Name]; other != "" && other != c.Name {
				t.Errorf("%s %s: %s and %s share the volume %s", o.Folder, o.Name, other, c.Name, m.Name)
			}
			mounts[m.Name] = c.Name
		}
	}
}

// The check itself: what is wrong in a copy is found there.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(manifests)); err != nil {
		t.Fatal(err)
	}
	mistakes := []struct{ file, old, new, want string }{
		{"transcoder/deployment.yaml", "terminationGracePeriodSeconds: 90", "terminationGraceSeconds: 90",
			"spec.template.spec.terminationGraceSeconds"},
		{"gateway/autoscaler.yaml", "name: tutti-gateway\n  minReplicas", "name: tutti-gatewy\n  minReplicas",
			"there is nothing of that name to scale"},
		{"orchestrator/disruption.yaml", "app.kubernetes.io/name: tutti-orchestrator", "app.kubernetes.io/name: other",
			"the budget selects no workload"},
		{"ai-worker/disruption.yaml", "maxUnavailable: 25%", "minAvailable: 1", "the budget lets no pod go"},
		{"gateway/network.yaml", "{port: http}", "{port: htp}", "opens a port that no container has"},
		{"ai-worker/deployment.yaml", "{name: models, mountPath: /models}", "{name: modells, mountPath: /models}",
			"mounts modells, which is no volume"},
	}
	for _, mistake := range mistakes {
		path := filepath.Join(root, mistake.file)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), mistake.old) {
			t.Fatal(mistake.file, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), mistake.old, mistake.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, said, err := check(t, root)
	if err == nil {
		t.Error("mistakes pass")
	}
	for _, mistake := range mistakes {
		if !strings.Contains(said, mistake.want) {
			t.Errorf("not said: %s\n%s", mistake.want, said)
		}
	}
}
