package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
)

// node is one process of tutti with a data directory of its own.
type node struct {
	bin, name, dir string
	// admin is its admin API, front where others reach it.
	admin, front string
	account      core.Address
	args         []string
	cmd          *exec.Cmd
	done         chan struct{}
}

const passphrase = "open sesame"

func newNode(bin, dir, name string) (*node, error) {
	n := &node{bin: bin, name: name, dir: filepath.Join(dir, name)}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if n.admin, err = freeAddress(); err != nil {
		return nil, err
	}
	n.front, err = freeAddress()
	n.args = []string{"-dataDir", n.dir, "-cliAddr", n.admin, "-adminProfiling"}
	return n, err
}

// open makes an account for the node and the flags that name it.
func (n *node) open() error {
	pass := filepath.Join(n.dir, "passphrase")
	if err := os.WriteFile(pass, []byte(passphrase), 0o600); err != nil {
		return err
	}
	e, err := account.Open(filepath.Join(n.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	n.account = e.Address
	n.args = append(n.args, "-ethPassword", pass)
	return err
}

// start starts the process and waits until it serves.
func (n *node) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(n.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	n.cmd = exec.Command(filepath.Join(n.bin, "tutti"), n.args...)
	n.cmd.Stdout, n.cmd.Stderr = log, log
	n.cmd.Env = append(os.Environ(), "HOME="+n.dir)
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.cmd.Start(); err != nil {
		return fmt.Errorf("start the %s: %w (make build first)", n.name, err)
	}
	n.done = make(chan struct{})
	go func() {
		_ = n.cmd.Wait()
		close(n.done)
	}()
	return n.wait(ctx, "an answer of its admin API", 60*time.Second,
		func() error { return healthy(ctx, "http://"+n.admin+"/healthz") })
}

// wait tries until a condition holds, the process ends, or the limit passes.
func (n *node) wait(ctx context.Context, what string, limit time.Duration, holds func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := holds()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-n.done:
			return fmt.Errorf("the %s ended: %s", n.name, n.tail())
		case <-ctx.Done():
			return fmt.Errorf("the %s: waiting for %s: %w; its log ends with\n%s", n.name, what, err, n.tail())
		}
	}
}

// stop ends the process in order and waits for its end.
func (n *node) stop() error {
	if n.done == nil {
		return nil
	}
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(40 * time.Second)
	defer timer.Stop()
	select {
	case <-n.done:
		if code := n.cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("the %s ended with status %d: %s", n.name, code, n.tail())
		}
		return nil
	case <-timer.C:
		_ = n.cmd.Process.Kill()
		<-n.done
		return fmt.Errorf("the %s does not end: %s", n.name, n.tail())
	}
}

func (n *node) pid() int { return n.cmd.Process.Pid }

// tail is the end of the node's log.
func (n *node) tail() string {
	text, _ := os.ReadFile(filepath.Join(n.dir, "log"))
	return string(text[max(0, len(text)-3000):])
}

// cli runs tutti_cli on the node until it succeeds: a round may be between two
// others.
func (n *node) cli(ctx context.Context, words ...string) error {
	args := append([]string{"--url", "http://" + n.admin, "--token-file", filepath.Join(n.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	return n.wait(ctx, words[0]+" "+words[1], 90*time.Second, func() error {
		if text, err := exec.CommandContext(ctx, filepath.Join(n.bin, "tutti_cli"), args...).CombinedOutput(); err != nil {
			return fmt.Errorf("tutti_cli: %w: %s", err, text)
		}
		return nil
	})
}

// freeAddress is a loopback address whose port was free a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// newClient is an HTTP client as the network's gateways have it: HTTP/2 where TLS is
// spoken, and no look at the certificates that nodes sign themselves.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 256,
		DisableCompression: true,
	}}
}

func healthy(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}
