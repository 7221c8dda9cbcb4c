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
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// lookFor bounds the look at the machine, because the operator waits.
const lookFor = 5 * time.Second

// look finds what the machine has, and prints it. The user enters what cannot be found.
func (t *initTool) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() {
		for _, row := range command.GPURows(gpus.Find(ctx, gpus.Options{Selection: config.Devices{All: true}}, lookFor)) {
			if row.Usable {
				t.found.GPUs = append(t.found.GPUs, fmt.Sprintf("%d: %s", row.Index, row.Name))
			}
		}
	})
	parts.Go(func() { t.found.Address = publicAddress(ctx, t.lookup) })
	parts.Go(func() { t.found.Docker = dockerAnswers(ctx) })
	t.findOld()
	parts.Wait()
	t.console.Report("Found: GPUs %s; public address %s; existing node %s", orNone(strings.Join(t.found.GPUs, ", ")),
		orNone(t.found.Address), orNone(t.found.OldNode))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// findOld looks for an existing node: the one that was named, or this user's.
func (t *initTool) findOld() {
	if t.moveFrom != "" {
		t.recordExisting(t.moveFrom)
	} else if home, err := os.UserHomeDir(); err == nil {
		t.recordExisting(migrate.Usual(home, t.network()))
	}
	if t.install.dataDir != "" {
		if keys, err := migrate.KeysIn(t.install.dataOf(t.network())); err == nil && len(keys) > 0 {
			t.found.Account = keys[0].Address.String()
		}
	}
}

// network returns the answer, or its default.
func (t *initTool) network() string {
	if network := t.answers[Network]; network != "" {
		return network
	}
	return MainNet
}

// recordExisting records what an existing node has in its data directory, and next to it.
func (t *initTool) recordExisting(dir string) {
	if file := filepath.Join(filepath.Dir(dir), "aiModels.json"); command.IsFile(file) {
		t.found.ModelsFile = file
	}
	if !oldNode(dir) {
		return
	}
	t.found.OldNode = dir
	t.found.OldAccount = accountIn(dir)
}

func oldNode(dir string) bool { return migrate.IsSource(dir) || migrate.HasKeys(dir) }

// accountIn returns the account whose key is in an existing node's directory, "" for none.
func accountIn(dir string) string {
	keys, err := migrate.KeysIn(dir)
	if err != nil || len(keys) == 0 {
		return ""
	}
	return keys[0].Address.String()
}

// askAboutOthers asks root whether another user's node is taken over. Any user of the machine
// can put a node into the home directory, with a key that this user keeps: the operator's ETH
// and stake would go to that account, so none is taken over without a yes or its name.
func (t *initTool) askAboutOthers(ctx context.Context) error {
	if os.Geteuid() != 0 || t.moveFrom != "" || t.found.OldNode != "" {
		return nil
	}
	homes, _ := filepath.Glob("/home/*") // the pattern is correct
	for _, home := range homes {
		dir := migrate.Usual(home, t.network())
		if !oldNode(dir) {
			continue
		}
		about := "existing node in " + dir + ", account " + orNone(accountIn(dir))
		if !t.console.CanAsk() {
			t.console.Report("Another user's %s, is left alone; to take it over: --moveFrom %s", about, dir)
			continue
		}
		if yes, err := t.console.Confirm(ctx, "Take over another user's "+about+"?"); err != nil {
			return err
		} else if yes {
			t.recordExisting(dir)
			return nil
		}
	}
	return nil
}

// publicAddress asks a service that sees this machine from outside.
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
