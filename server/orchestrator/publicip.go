package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	publicIPTimeout = 10 * time.Second
	// maxPublicIP bounds the answer: an address is 45 bytes at most.
	maxPublicIP = 256
)

var errNoIP = errors.New("its answer is no public IP address")

// PublicIP asks a service for this machine's public address. The error is the fault
// PublicIPUnknown.
func PublicIP(ctx context.Context, client *http.Client, service string) (netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, publicIPTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, service, nil)
	if err != nil {
		return unknownIP(service, err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return unknownIP(service, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPublicIP))
	if err != nil {
		return unknownIP(service, err)
	}
	if resp.StatusCode != http.StatusOK {
		return unknownIP(service, fmt.Errorf("%w: status %s", errNoIP, resp.Status))
	}
	ip, err := netip.ParseAddr(strings.TrimSpace(string(body)))
	switch {
	case err != nil:
		return unknownIP(service, fmt.Errorf("%w: %w", errNoIP, err))
	case !ip.IsGlobalUnicast() && !ip.IsLoopback():
		return unknownIP(service, fmt.Errorf("%w: %s", errNoIP, ip))
	}
	return ip.Unmap(), nil
}

func unknownIP(service string, err error) (netip.Addr, error) {
	op := "ask " + service + " for the public IP address"
	return netip.Addr{}, &fault.Fault{Code: fault.PublicIPUnknown, Op: op, Err: err}
}
