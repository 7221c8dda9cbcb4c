package initcmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/gpucmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/initcmd/setup"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// lookFor bounds the look at the machine: somebody waits.
const lookFor = 5 * time.Second

// look finds what the machine has, and says it. What cannot be found is asked.
func (t *initTool) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() {
		for _, row := range gpucmd.Rows(gpus.Find(ctx, gpus.Options{Selection: config.Devices{All: true}}, lookFor)) {
			if row.Usable {
				t.found.GPUs = append(t.found.GPUs, fmt.Sprintf("%d: %s", row.Index, row.Name))
			}
		}
	})
	parts.Go(func() { t.found.Address = publicAddress(ctx, t.lookup) })
	parts.Go(func() { t.found.Docker = dockerAnswers(ctx) })
	t.findOld()
	parts.Wait()
	t.console.Tell("Found: GPUs %s; public address %s; existing node %s", orNone(strings.Join(t.found.GPUs, ", ")), orNone(t.found.Address), orNone(t.found.OldNode))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// findOld looks for an existing node: this user's, and anybody's for root.
func (t *initTool) findOld() {
	network := t.answers[setup.Network]
	if network == "" {
		network = setup.MainNet
	}
	for _, home := range homes() {
		dir := migrate.Usual(home, network)
		if file := filepath.Join(filepath.Dir(dir), "aiModels.json"); t.found.ModelsFile == "" && command.IsFile(file) {
			t.found.ModelsFile = file
		}
		if t.found.OldNode == "" && (migrate.IsSource(dir) || migrate.HasKeys(dir)) {
			t.found.OldNode = dir
			if keys, err := migrate.KeysIn(dir); err == nil && len(keys) > 0 {
				t.found.OldAccount = keys[0].Address.String()
			}
		}
	}
	if t.place.dataDir != "" {
		if keys, err := migrate.KeysIn(t.place.dataOf(network)); err == nil && len(keys) > 0 {
			t.found.Account = keys[0].Address.String()
		}
	}
}

// homes are where existing nodes may keep their data.
func homes() []string {
	var out []string
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, home)
	}
	if os.Geteuid() == 0 {
		others, _ := filepath.Glob("/home/*") // what cannot be read is no home of a node
		out = append(out, others...)
	}
	return out
}

// publicAddress asks who sees this machine from outside.
func publicAddress(ctx context.Context, url string) string {
	if url == "none" || url == "" {
		return ""
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return ""
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64))
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	ip, err := netip.ParseAddr(strings.TrimSpace(string(text)))
	switch {
	case err != nil:
		return ""
	case ip.Is6():
		return "[" + ip.String() + "]"
	}
	return ip.String()
}

// dockerAnswers reports whether a Docker Engine listens.
func dockerAnswers(ctx context.Context) bool {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", "/var/run/docker.sock")
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
