package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

// flag is one line of testdata/flags.txt.
type flag struct{ name, mark, preset, value string }

// existingFlags are the options operators of the existing node use.
func existingFlags(t testing.TB) []flag {
	t.Helper()
	content, err := os.ReadFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []flag
	for line := range strings.Lines(string(content)) {
		if f := strings.Fields(line); !strings.HasPrefix(line, "#") {
			all = append(all, flag{f[0], f[1], f[2], f[3]})
		}
	}
	return all
}

// The base's roles make most options meaningful.
var combined = []string{"-orchestrator", "-transcoder", "-gateway", "-serviceAddr", "127.0.0.1:8935"}

// current names the options that go by another name now.
var current = map[string]string{"nvidia": "gpu", "datadir": "dataDir", "broadcaster": "gateway",
	"pricePerBroadcaster": "pricePerGateway"}

// Every option of the existing node passes through the real parser on the
// command line, in the environment and in a file, is remembered with its origin,
// and draws what its mark asks for.
func TestEveryExistingOptionIsKnown(t *testing.T) {
	t.Parallel()
	for _, f := range existingFlags(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			option := f.name
			if now, ok := current[option]; ok {
				option = now
			}
			withFlag := input(append(combined[:len(combined):len(combined)], "-"+f.name+"="+f.value)...)
			withFlag.ReadFile = files(map[string]string{"node.conf": ""})
			c, notices, err := config.Load(withFlag)
			checkKnown(t, f, err)
			if got := c.Origin(option); got.Source != config.FromFlag || got.Name != f.name {
				t.Errorf("origin is %+v", got)
			}
			checkMark(t, f, c, notices)

			if f.name == "version" || f.name == "j" || f.name == "config" {
				return
			}
			env := "LP_" + strings.ToUpper(strings.ReplaceAll(f.name, "_", ""))
			withEnv := input(combined...)
			withEnv.Environ = []string{env + "=" + f.value}
			_, _, err = config.Load(withEnv)
			checkKnown(t, f, err)

			withFile := input(append(combined[:len(combined):len(combined)], "-config", "node.conf")...)
			withFile.ReadFile = files(map[string]string{"node.conf": f.name + " " + f.value + "\n"})
			_, _, err = config.Load(withFile)
			checkKnown(t, f, err)
		})
	}
}

// refused are the options that a node of this release does not start with.
var refused = map[string]string{
	"redeemer": "ContradictoryRoles", "remoteSigner": "ContradictoryRoles", "netint": "OptionUnsupported",
}

func checkKnown(t *testing.T, f flag, err error) {
	t.Helper()
	switch {
	case refused[f.name] != "" && (err == nil || !strings.HasPrefix(err.Error(), refused[f.name]+": ")):
		t.Errorf("got %v, want %s", err, refused[f.name])
	case refused[f.name] == "" && err != nil:
		t.Errorf("got %v", err)
	}
}

func checkMark(t *testing.T, f flag, c *config.Config, notices []config.Notice) {
	t.Helper()
	var said []string
	for _, n := range notices {
		if n.Subject == "-"+f.name {
			said = append(said, n.Text)
		}
	}
	if f.mark == "O" && len(said) == 0 {
		t.Error("an obsolete option draws no notice")
	}
	if len(said) > 2 {
		t.Errorf("%d notices: %q", len(said), said)
	}
	if f.mark != "G" || f.name == "remoteSigner" || f.name == "gateway" {
		return
	}
	alone := input("-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-"+f.name+"="+f.value)
	_, notices, err := config.Load(alone)
	if err != nil {
		t.Errorf("on an orchestrator: %v", err)
	}
	if len(notices) != 1 || !strings.Contains(notices[0].String(), "has no effect without -") {
		t.Errorf("on an orchestrator it says %v", notices)
	}
}

// The defaults are those of the existing node.
func TestDefaults(t *testing.T) {
	t.Parallel()
	c, _, err := config.Load(input("-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range c.Settings() {
		got[s.Option] = s.Value
	}
	derived := map[string]bool{"orchestrator": true, "transcoder": true, "serviceAddr": true, "httpAddr": true,
		"cliAddr": true}
	for _, f := range existingFlags(t) {
		name := f.name
		if now, ok := current[name]; ok {
			name = now
		}
		value, listed := got[name]
		if !listed || derived[name] {
			continue
		}
		if want := strings.TrimPrefix(f.preset, "-"); value != want {
			t.Errorf("%s: default %q, want %q", f.name, value, want)
		}
	}
}

// The early names that no node knows are refused by name, with a remedy.
func TestRetiredNames(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`txTimeout maxTxReplacements gasPrice detectionWebhookUrl detectContent
		sceneClassificationModelPath detectionSampleRate ipfsPath rtmp http cli publicIP s3bucket s3creds gsBucket
		gsKey standaloneTranscoder dev rinkeby offchain`) {
		_, _, err := config.Load(input(append(combined[:len(combined):len(combined)], "-"+name, "x")...))
		if err == nil || !strings.HasPrefix(err.Error(),
			"OptionRetired: -"+name+" (command line): this option no longer exists; ") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one problem: %v", name, err)
		}
	}
}
