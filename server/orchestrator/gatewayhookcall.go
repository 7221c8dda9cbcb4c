package orchestrator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxHookAnswer bounds the service's answer, in bytes.
const maxHookAnswer = 64 << 10

// newHookClient calls the service. It follows no redirect: the question is for the operator's service alone.
func newHookClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 8,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: askTime, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// call asks the service. The price is nil where it sets none. Errors are GatewayDenied and GatewayHookFailed.
func (h *GatewayHook) call(ctx context.Context, gateway core.Address) (*big.Rat, error) {
	status, text, err := h.post(ctx, gateway)
	switch {
	case err != nil:
		return nil, hookFailed(err)
	case status >= 400 && status < 500:
		return nil, fault.New(fault.GatewayDenied, opAsk, strings.TrimSpace(string(text)))
	case status != http.StatusOK:
		return nil, hookFailed(fmt.Errorf("%w: its status is %d", errAnswer, status))
	}
	price, err := parseHookAnswer(text)
	if err == nil && price != nil {
		err = h.o.Check(*price)
	}
	if err != nil {
		return nil, hookFailed(err)
	}
	if price == nil {
		return nil, nil
	}
	wei, _ := price.WeiPerPixel()
	return wei, nil
}

// hookFailed is the fault of a service that could not be asked. Its detail is the operator's: gateways get none.
func hookFailed(err error) error {
	return &fault.Fault{Code: fault.GatewayHookFailed, Op: opAsk, Detail: err.Error(), Err: err}
}

func (h *GatewayHook) post(ctx context.Context, gateway core.Address) (int, []byte, error) {
	body, err := json.Marshal(map[string]string{"id": gateway.String()})
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.o.URL, bytes.NewReader(body))
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxHookAnswer+1))
	if err == nil && len(text) > maxHookAnswer {
		err = fmt.Errorf("%w: it has more than %d bytes", errAnswer, maxHookAnswer)
	}
	return resp.StatusCode, text, err
}

// withoutAddress removes the service's address from errors, because it may contain a password.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

var errAnswer = errors.New("the service's answer cannot be used")

// parseHookAnswer reads the answer that admits a gateway: nothing, or JSON that may have a price.
func parseHookAnswer(text []byte) (*core.UnitPrice, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var in struct {
		Price *struct {
			PerUnit json.Number `json:"pricePerUnit"`
			Pixels  json.Number `json:"pixelsPerUnit"`
		} `json:"priceInfo"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON of the known form", errAnswer)
	}
	if in.Price == nil {
		return nil, nil
	}
	wei, err := core.ParsePrice(in.Price.PerUnit.String())
	if err != nil || wei.Currency != "" {
		return nil, fmt.Errorf("%w: pricePerUnit must be a whole number of wei", errAnswer)
	}
	pixels, err := in.Price.Pixels.Int64()
	if err != nil || pixels < 1 {
		return nil, fmt.Errorf("%w: pixelsPerUnit must be a whole number from 1", errAnswer)
	}
	return &core.UnitPrice{Price: wei, PixelsPerUnit: core.Pixels(pixels)}, nil
}
