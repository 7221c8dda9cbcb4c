package apikeystore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Bounds of a webhook call.
const (
	webhookTimeout = 5 * time.Second
	maxAnswerBytes = 64 << 10
)

const opWebhook = "ask the webhook about an API key"

// webhook calls the operator's service about tokens. It implements apikeys.Decider.
type webhook struct {
	url    string
	client *http.Client
	own    *http.Transport
}

func newWebhook(address string, transport http.RoundTripper) *webhook {
	w := &webhook{url: address}
	if transport == nil {
		w.own = &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: webhookTimeout, MaxResponseHeaderBytes: 64 << 10}
		transport = w.own
	}
	w.client = &http.Client{Transport: transport, Timeout: webhookTimeout,
		// A token must not follow a redirect to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return w
}

func (w *webhook) close() {
	if w.own != nil {
		w.own.CloseIdleConnections()
	}
}

// webhookQuestion is the body of the call. The existing form, for streams, has only url.
type webhookQuestion struct {
	URL       string `json:"url"`
	Route     string `json:"route"`
	Model     string `json:"model,omitempty"`
	MaxTokens int64  `json:"max_tokens,omitempty"`
	// KeySHA256 is for services that store only hashes of keys.
	KeySHA256 string `json:"key_sha256"`
}

// webhookAnswer is a service's answer about a key that it admits. Unknown fields belong to the
// existing form, for streams.
type webhookAnswer struct {
	Name        string   `json:"name"`
	Models      []string `json:"models"`
	RPM         int      `json:"rpm"`
	TPM         int64    `json:"tpm"`
	Concurrency int      `json:"concurrency"`
	Budget      int64    `json:"budget"`
	BudgetWei   string   `json:"budget_wei"`
	BudgetUSD   string   `json:"budget_usd"`
	Alert       int      `json:"alert"`
	Period      string   `json:"period"`
	Expires     string   `json:"expires"`
}

// Decide calls the service. The token is sent in the Authorization header, as the client sent it;
// in X-Api-Key if the service's address has a user name.
func (w *webhook) Decide(ctx context.Context, token string, need apikeys.Need) (apikeys.Key, error) {
	req, err := w.request(ctx, token, need)
	if err != nil {
		return apikeys.Key{}, fault.Wrap(fault.KeyWebhookFailed, opWebhook, err)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return apikeys.Key{}, ctx.Err()
		}
		return apikeys.Key{}, fault.Wrap(fault.KeyWebhookFailed, opWebhook, conceal(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return apikeys.Key{}, fault.Wrap(fault.KeyWebhookFailed, opWebhook, err)
	case len(body) > maxAnswerBytes:
		return apikeys.Key{}, fault.New(fault.KeyWebhookFailed, opWebhook, "the webhook's answer is too long")
	case resp.StatusCode != http.StatusOK:
		return apikeys.Key{}, refusal(resp)
	}
	return readAnswer(body)
}

func (w *webhook) request(ctx context.Context, token string, need apikeys.Need) (*http.Request, error) {
	address := need.URL
	if address == "" {
		address = need.Route
	}
	sum := sha256.Sum256([]byte(token))
	body, err := json.Marshal(webhookQuestion{
		URL: address, Route: need.Route, Model: need.Model, MaxTokens: int64(max(need.MaxTokens, 0)),
		KeySHA256: apikeys.Hash(sum).String(),
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, conceal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if req.URL.User == nil {
		req.Header.Set("Authorization", "Bearer "+token)
	} else {
		// The address has a name and a password of its own for that header.
		req.Header.Set("X-Api-Key", token)
	}
	return req, nil
}

// conceal removes the service's address from errors, because it may contain a password: errors of
// net/http begin with it.
func conceal(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// refusal is the fault of a status other than 200.
func refusal(resp *http.Response) error {
	said := fmt.Sprintf("the webhook answered with status %d", resp.StatusCode)
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return fault.New(fault.KeyUnknown, opWebhook, "this API key is not known here")
	case http.StatusPaymentRequired:
		return fault.New(fault.BudgetSpent, opWebhook, "this API key's budget is spent")
	case http.StatusForbidden:
		return fault.New(fault.KeyDenied, opWebhook, "this API key is not for this request")
	case http.StatusTooManyRequests:
		f := fault.New(fault.RateLimited, opWebhook, "this API key sends too many requests")
		return fault.After(f, retryAfter(resp.Header.Get("Retry-After")))
	}
	return fault.New(fault.KeyWebhookFailed, opWebhook, said)
}

// retryAfter reads the header's form in seconds; a second stands for any other.
func retryAfter(header string) time.Duration {
	const most = 86400
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 1 {
		return time.Second
	}
	return time.Duration(min(seconds, most)) * time.Second
}

// readAnswer reads what the service says of a key it admits; nothing is an answer
// too.
func readAnswer(body []byte) (apikeys.Key, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return apikeys.Key{}, nil
	}
	bad := func(text string) (apikeys.Key, error) {
		return apikeys.Key{}, fault.New(fault.KeyWebhookFailed, opWebhook, "the webhook's answer cannot be used: "+text)
	}
	var a webhookAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return bad("it is not a JSON object with the right types")
	}
	k := apikeys.Key{Name: a.Name, Limits: apikeys.Limits{
		Models: a.Models, RPM: a.RPM, TPM: inference.Tokens(a.TPM), Concurrency: a.Concurrency,
		Budget: apikeys.Budget{Tokens: inference.Tokens(a.Budget), Period: apikeys.Period(a.Period)},
		Alert:  a.Alert,
	}}
	if err := k.Budget.SetMoney(a.BudgetWei, a.BudgetUSD); err != nil {
		return bad(err.Error())
	}
	if k.Budget.Limited() && k.Budget.Period == "" {
		k.Budget.Period = apikeys.Total
	}
	if a.Name != "" {
		if wrong := apikeys.CheckName(a.Name); wrong != "" {
			return bad(wrong)
		}
	}
	if wrong := k.Check(); len(wrong) > 0 {
		return bad(wrong[0].String())
	}
	if a.Expires != "" {
		var err error
		if k.Expires, err = apikeys.ParseExpiry(a.Expires, time.Time{}); err != nil {
			return bad("expires is " + err.Error())
		}
	}
	return k, nil
}
