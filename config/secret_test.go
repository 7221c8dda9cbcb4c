package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

// No way of printing a configuration shows a secret.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	const hush = "hunter2"
	args := append(combined[:len(combined):len(combined)],
		"-orchSecret", hush, "-ethPassword", hush, "-kafkaPassword", hush, "-mediaMTXApiPassword", hush,
		"-liveAIAuthApiKey", hush, "-liveAIHeartbeatHeaders", "X:"+hush, "-remoteSignerHeaders", "X:"+hush,
		"-remoteSignerWebhookHeaders", "X:"+hush, "-FVfailGskey", hush,
		"-ethUrl", "https://arb.example.org/v2/"+hush+",wss://u:"+hush+"@b.example.org?key="+hush,
		"-objectStore", "s3://key:"+hush+"@eu-west-1/bucket", "-recordStore", "gs://bucket?keyfile="+hush,
		"-metadataQueueUri", "amqp://u:"+hush+"@mq.example.org/", "-orchWebhookUrl", "https://h.example.org/"+hush,
		"-liveAIHeartbeatURL", "https://h.example.org/#"+hush)
	c, notices, err := config.Load(input(args...))
	if err != nil {
		t.Fatal(err)
	}
	if c.Addresses.OrchSecret.Reveal() != hush || !strings.Contains(c.Storage.ObjectStore.Reveal(), hush) {
		t.Error("the values themselves are lost")
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", *c)
		fmt.Fprintf(&out, verb+"\n", c.Addresses.OrchSecret)
		fmt.Fprintf(&out, verb+"\n", c.Chain.Endpoints)
	}
	if err := json.NewEncoder(&out).Encode(c); err != nil {
		t.Fatal(err)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("configuration", "config", c, "secret", c.Addresses.OrchSecret, "url", c.Storage.ObjectStore)
	}
	if err := (&config.Check{Config: c, Notices: notices, All: true}).WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteTable(&out, c); err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{hush, fmt.Sprintf("%x", hush)} {
		if i := strings.Index(out.String(), leak); i >= 0 {
			t.Errorf("shown: …%s…", out.String()[max(0, i-60):i+len(leak)])
		}
	}
	if !strings.Contains(out.String(), "s3://***@eu-west-1/***") ||
		!strings.Contains(out.String(), "https://arb.example.org/***,wss://***@b.example.org?***") {
		t.Error("what may be shown of a URL is not")
	}
}

// A secret is the file's content when there is such a file, trimmed.
func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want string }{
		{"/etc/secret", "from the file"}, {"~/secret", "at home"}, {"word", "word"},
	} {
		in := input(append(combined[:len(combined):len(combined)], "-orchSecret", c.given)...)
		in.ReadFile = files(map[string]string{"/etc/secret": " from the file\n\n", "/home/op/secret": "at home"})
		got, _, err := config.Load(in)
		if err != nil || got.Addresses.OrchSecret.Reveal() != c.want {
			t.Errorf("%s: %q, %v", c.given, got.Addresses.OrchSecret.Reveal(), err)
		}
	}
}

func TestMaskedURLs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"https://h.example.org", "https://h.example.org"},
		{"https://h.example.org/", "https://h.example.org/"},
		{"https://h.example.org:8545/rpc", "https://h.example.org:8545/***"},
		{"https://u@h.example.org", "https://***@h.example.org"},
		{"wss://h.example.org?x", "wss://h.example.org?***"},
	} {
		u, err := config.ParseURL(c.in)
		if err != nil || u.String() != c.want || u.Reveal() != c.in {
			t.Errorf("%s: %s, %v", c.in, u, err)
		}
	}
	for _, bad := range []string{"", "h.example.org", "https://", "/path", "https://h:port/",
		"s3://a:b/c@host/bucket"} {
		if u, err := config.ParseURL(bad); err == nil {
			t.Errorf("%q is taken as %s", bad, u.Reveal())
		}
	}
}

// The path of a directory is not a secret: a container engine makes one of a file that is missing. A word
// that a directory here is named after is one.
func TestADirectoryIsNoSecret(t *testing.T) {
	t.Parallel()
	in := input(append(combined[:len(combined):len(combined)], "-orchSecret", t.TempDir())...)
	in.ReadFile = os.ReadFile
	if _, _, err := config.Load(in); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("loaded: %v", err)
	}
	in = input(append(combined[:len(combined):len(combined)], "-orchSecret", "testdata")...)
	in.ReadFile = os.ReadFile
	if c, _, err := config.Load(in); err != nil || c.Addresses.OrchSecret.Reveal() != "testdata" {
		t.Errorf("a word that a directory is named after: %v", err)
	}
}
