package doctorcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// Node is where the running node's admin API is.
type Node struct {
	// Address is host:port, Socket a path in its place.
	Address, Socket string
	// Token is sent where there is one.
	Token string
	// Dial opens connections for the token, only to a program of the token's owner; nil checks nothing.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// nodeParts are the reports that doctor requests from the node.
func nodeParts() []struct{ name, path, about string } {
	return []struct{ name, path, about string }{
		{"node.json", adminapi.PathNode, "what kind of node runs"},
		{"conditions.json", adminapi.PathConditions, "its lasting problems, with remedies"},
		{"dashboard.json", adminapi.PathDashboard, "its state at a glance, with the settings in effect"},
		{"explain.json", adminapi.PathExplain, "why few or no jobs come"},
		{"workers.json", adminapi.PathWorkers, "devices and remote workers"},
		{"service-address.json", adminapi.PathServiceAddress, "its public address"},
		{"chain.json", adminapi.PathChain, "the chain and its endpoints, as seen"},
		{"transactions.json", adminapi.PathTransactions, "transactions on their way"},
		{"prices.json", adminapi.PathPrices, "prices"},
		{"metrics.txt", "/metrics", "counters and figures"},
		{"goroutines.txt", "/debug/pprof/goroutine?debug=1", "what its threads do, where -adminProfiling is on"},
	}
}

// nodeTime bounds one question to the node.
const nodeTime = 5 * time.Second

// AddNode asks the running node for everything.
func (a *Archive) AddNode(ctx context.Context, n Node) {
	client := n.client()
	defer client.CloseIdleConnections()
	if _, err := n.get(ctx, client, adminapi.PathNode); err != nil {
		a.Missing("node", "the running node", fmt.Errorf("no node answers on its admin address: %w", err))
		return
	}
	// Before the questions, which may leave lines of their own.
	if content, err := n.get(ctx, client, adminapi.PathLog+"?"+adminapi.QueryLines+"=500"); err != nil {
		a.Missing("log.txt", "the log's last lines", err)
	} else {
		a.Add("log.txt", "the log's last lines", logText(content))
	}
	for _, p := range nodeParts() {
		content, err := n.get(ctx, client, p.path)
		if err != nil {
			a.Missing(p.name, p.about, err)
			continue
		}
		a.Add(p.name, p.about, indented(content))
	}
}

func (n Node) client() *http.Client {
	transport := &http.Transport{DisableCompression: true, DialContext: n.Dial}
	if n.Socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", n.Socket)
		}
	}
	return &http.Client{Transport: transport, Timeout: nodeTime}
}

func (n Node) get(ctx context.Context, client *http.Client, path string) ([]byte, error) {
	host := n.Address
	if n.Socket != "" {
		host = "localhost"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		return nil, err
	}
	if n.Token != "" {
		req.Header.Set("Authorization", "Bearer "+n.Token)
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxPart))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", res.StatusCode, b)
	}
	if err == nil && len(bytes.TrimSpace(b)) == 0 {
		err = errors.New("the answer is empty")
	}
	return b, err
}

// indented makes JSON readable, and leaves everything else as it is.
func indented(b []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(b), "", "  ") != nil {
		return b
	}
	return append(out.Bytes(), '\n')
}

// logText returns the log as lines.
func logText(b []byte) []byte {
	var log adminapi.Log
	if json.Unmarshal(b, &log) != nil {
		return b
	}
	var out bytes.Buffer
	for _, l := range log.Lines {
		fmt.Fprintf(&out, "%s %-7s %s] %s\n", l.Time.UTC().Format("2006-01-02T15:04:05.000Z"), l.Level, l.Source, l.Text)
	}
	return out.Bytes()
}
