package remotesigner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/remotesigner"
)

// Bounds of a webhook call.
const (
	webhookTime = 5 * time.Second
	maxAnswer   = 64 << 10
	maxReason   = 512
)

const opWebhook = "ask the webhook about a payment"

// Webhook asks the operator's service. It implements remotesigner.Authorizer.
type Webhook struct {
	url    string
	header http.Header
	client *http.Client
}

// NewWebhook makes a webhook with headers of its own.
func NewWebhook(address string, header http.Header) *Webhook {
	return &Webhook{url: address, header: header, client: &http.Client{
		Timeout: webhookTime,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: webhookTime, MaxResponseHeaderBytes: maxAnswer},
		// Callers' credentials must not follow a redirect.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

type webhookQuestion struct {
	Headers map[string][]string `json:"headers"`
	State   json.RawMessage     `json:"state"`
}

type webhookAnswer struct {
	Status   int                    `json:"status"`
	Reason   string                 `json:"reason"`
	Expiry   int64                  `json:"expiry"`
	AuthID   string                 `json:"auth_id"`
	MaxPrice *remotesigner.MaxPrice `json:"maxPrice"`
}

// Authorize asks whether a caller may have a payment. Errors are refusals; the service's own failures are the fault
// SignerWebhookFailed.
func (h *Webhook) Authorize(ctx context.Context, ask *remotesigner.Ask, state []byte) (remotesigner.Admission, error) {
	var none remotesigner.Admission
	body, err := json.Marshal(webhookQuestion{ask.Header, state})
	if err != nil {
		return none, fault.Wrap(fault.SignerWebhookFailed, opWebhook, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return none, fault.Wrap(fault.SignerWebhookFailed, opWebhook, conceal(err))
	}
	for name, values := range h.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return none, fault.Wrap(fault.SignerWebhookFailed, opWebhook, conceal(err))
	}
	defer func() { _ = resp.Body.Close() }()
	return readAnswer(resp)
}

func readAnswer(resp *http.Response) (remotesigner.Admission, error) {
	var none remotesigner.Admission
	if resp.StatusCode != http.StatusOK {
		return none, fault.New(fault.SignerWebhookFailed, opWebhook, "it answered with status "+strconv.Itoa(resp.StatusCode))
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(text) > maxAnswer {
		return none, fault.New(fault.SignerWebhookFailed, opWebhook, "its answer was not read")
	}
	var a webhookAnswer
	if err := json.Unmarshal(text, &a); err != nil {
		return none, fault.New(fault.SignerWebhookFailed, opWebhook, "its answer is no JSON of the known form")
	}
	if a.Status != http.StatusOK {
		if a.Status < 400 || a.Status > 599 {
			return none, fault.New(fault.SignerWebhookFailed, opWebhook, "its answer has no status that refuses")
		}
		return none, &remotesigner.Refusal{Status: a.Status, Text: a.Reason[:min(len(a.Reason), maxReason)]}
	}
	return remotesigner.Admission{AuthID: a.AuthID, Expires: a.Expiry, MaxPrice: a.MaxPrice}, nil
}

// conceal removes the service's address from errors, because it may contain a password.
func conceal(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
