// Package node is the client of a node's admin API: where it listens, how a
// change is allowed, what its errors mean. Everything the verbs of tutti_cli
// learn of the node, and everything they ask of it, goes through here.
//
// It knows no verbs and no terminal, and it never repeats a change by itself: a
// request that may have arrived is for the caller to check.
//
// portuser.go finds the process that listens on a port of this machine, so that a message about a
// taken port can name the program. It reads the kernel's tables and works on Linux only; elsewhere
// nothing is known.
package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// readTimeout bounds one look at the node.
	readTimeout = 30 * time.Second
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 32 << 20
)

// Client asks one node.
type Client struct {
	base  string
	clear bool // the token would cross a network unencrypted
	http  *http.Client
	token func(ctx context.Context, c *Client) (string, error)
	// keeper is the user whose node the token is for; nil where that is not known.
	keeper atomic.Pointer[int]
}

// Options say where the node is and what allows changes.
type Options struct {
	// URL is http://host:port, https://host:port or unix:/path.
	URL string
	// Token gives the token that changes need. It is called when one is made.
	Token func(ctx context.Context, c *Client) (string, error)
}

// New checks the address and opens no connection.
func New(o Options) (*Client, error) {
	transport := &http.Transport{DisableKeepAlives: true, Proxy: nil}
	c := &Client{token: o.Token, http: &http.Client{Transport: transport, CheckRedirect: refuseRedirect}}
	if path, ok := strings.CutPrefix(o.URL, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		if path == "" {
			return nil, invalidURL(o.URL)
		}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return c.dialSocket(ctx, path)
		}
		c.base = "http://localhost"
		return c, nil
	}
	transport.DialContext = c.dial
	u, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, invalidURL(o.URL)
	}
	c.base = u.Scheme + "://" + u.Host
	c.clear = u.Scheme == "http" && !loopback(u.Hostname())
	return c, nil
}

// invalidURL does not repeat the address, which may hold a password.
func invalidURL(string) error {
	return fault.New(fault.CommandLineInvalid, "read the node's address",
		"--url, or --host and --http: it must be http://host:port, https://host:port or unix:/path")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// refuseRedirect: the admin API has none, and a token must not follow one.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Address returns the address of the node, for people.
func (c *Client) Address() string { return c.base }

// Get reads path into answer. A node on another machine wants the token for
// reading, too; without one it refuses by name.
func (c *Client) Get(ctx context.Context, path string, answer any) error {
	token := ""
	if u, err := url.Parse(c.base); err == nil && !c.clear && !loopback(u.Hostname()) {
		token, _ = c.token(ctx, c)
	}
	return c.look(ctx, path, token, answer)
}

func (c *Client) look(ctx context.Context, path, token string, answer any) error {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, http.MethodGet, c.base+path, nil)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", path, err)
	}
	if token != "" {
		req = req.WithContext(withSecret(bounded))
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return c.do(req, answer)
}

// Post asks for a change, or for its estimate, and reads what came of it.
func (c *Client) Post(ctx context.Context, path string, query url.Values, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.change(ctx, path, "application/json", content, answer, query.Get(adminapi.QueryDryRun) == "true")
}

// Form asks for a change at one of the paths that take forms, and returns the
// text of the answer.
func (c *Client) Form(ctx context.Context, path string, form url.Values) (string, error) {
	var text string
	err := c.change(ctx, path, "application/x-www-form-urlencoded", []byte(form.Encode()), &text, false)
	return strings.TrimSpace(text), err
}

// change asks for a change, or where it is dry only for what it would do. When a
// request that may have arrived stays without an answer, that is the fault
// OutcomeUnknown.
func (c *Client) change(ctx context.Context, path, contentType string, body []byte, answer any, dry bool) error {
	if c.clear {
		return fault.New(fault.AdminTokenInClear, "ask for a change", "")
	}
	token, err := c.token(ctx, c)
	if err != nil {
		return err
	}
	var arrived atomic.Bool
	traced := httptrace.WithClientTrace(withSecret(ctx),
		&httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { arrived.Store(true) }})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask for %s: %w", path, err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+token)
	err = c.do(req, answer)
	if arrived.Load() && !dry && silent(ctx, err) {
		return fault.New(fault.OutcomeUnknown, "ask for a change",
			"the node did not answer; whether the change was made is not known")
	}
	return err
}

// silent reports whether err is a missing answer, for whatever reason.
func silent(ctx context.Context, err error) bool {
	return errors.Is(err, fault.NodeUnreachable) || err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

func (c *Client) do(req *http.Request, answer any) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(req.Context(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.unreachable(req.Context(), err)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {
		return refusal(resp.StatusCode, body, req.URL.Path)
	}
	if text, ok := answer.(*string); ok {
		*text = string(body)
		return nil
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fault.Wrap(fault.NodeAnswerUnreadable, "read the answer to "+req.URL.Path, err)
	}
	return nil
}

// unreachable says what kind of silence it is. The token is in no error.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	cause := err
	if u, ok := errors.AsType[*url.Error](err); ok {
		cause = u.Err
	}
	if errors.Is(err, fault.AdminPortTaken) {
		return cause
	}
	return &fault.Fault{Code: fault.NodeUnreachable, Op: "ask the node at " + c.base, Detail: "no answer from " + c.base +
		": " + cause.Error(), Err: err}
}
