package admin

import (
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// form are the parameters of a legacy route, from query and body.
type form struct{ url.Values }

// formOf reads the parameters; the body is bounded.
func formOf(w http.ResponseWriter, r *http.Request) (form, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		return form{}, badParam("the form cannot be read: %v", err)
	}
	return form{r.Form}, nil
}

func badParam(format string, args ...any) error {
	return fault.New(fault.AdminBadParam, "admin request", fmt.Sprintf(format, args...))
}

// text returns a required parameter.
func (f form) text(name string) (string, error) {
	if v := f.Get(name); v != "" {
		return v, nil
	}
	return "", badParam("missing form param: %s", name)
}

// value reads a required parameter. The error names it.
func value[T any](f form, name string, parse func(string) (T, error)) (out T, err error) {
	text, err := f.text(name)
	if err != nil {
		return out, err
	}
	if out, err = parse(text); err != nil {
		return out, badParam("%s %s: %v", name, quote(text), err)
	}
	return out, nil
}

// optional reads an optional parameter.
func optional[T any](f form, name string, parse func(string) (T, error)) (*T, error) {
	if f.Get(name) == "" {
		return nil, nil
	}
	v, err := value(f, name, parse)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// quote quotes a value, shortened.
func quote(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}

var errNumber = errors.New("not a whole, non-negative number")

func parseNumber[T ~uint64](s string) (T, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, errNumber
	}
	return T(n), nil
}

func parseLock(s string) (protocol.LockID, error) { return parseNumber[protocol.LockID](s) }

// choice reads a number below n.
func choice(n uint64) func(string) (uint8, error) {
	return func(s string) (uint8, error) {
		v, err := strconv.ParseUint(s, 10, 8)
		if err != nil || v >= n {
			return 0, fmt.Errorf("not a number from 0 to %d", n-1)
		}
		return uint8(v), nil
	}
}

// parsePercent reads a percentage with as many digits as the existing tool's
// floating-point numbers have, to the nearest part per million.
func parsePercent(s string) (core.PerMillion, error) {
	if p, err := core.ParsePercent(s); err == nil {
		return p, nil
	}
	const most = 32
	exact, ok := new(big.Rat), len(s) <= most && strings.Trim(s, "0123456789.") == ""
	if ok {
		exact, ok = exact.SetString(s)
	}
	if !ok || exact.Cmp(big.NewRat(100, 1)) > 0 {
		return 0, errors.New("not a percentage from 0 to 100")
	}
	twice := new(big.Rat).Mul(exact, big.NewRat(20_000, 1))
	whole := new(big.Int).Quo(twice.Num(), twice.Denom())
	return core.PerMillion((whole.Int64() + 1) / 2), nil
}

// parseProposal reads a proposal's number, of up to 256 bits.
func parseProposal(s string) (*big.Int, error) {
	const most = 78
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.Sign() < 0 || len(s) > most || n.BitLen() > 256 || s[0] == '+' {
		return nil, errors.New("not a proposal's decimal number")
	}
	return n, nil
}

// parsePixels reads a divisor of a price: at least 1, an exponent is allowed.
func parsePixels(s string) (core.Pixels, error) {
	n, err := core.ParseWei(s)
	if err != nil || n.IsZero() || !n.Big().IsInt64() {
		return 0, errors.New("not a whole number of pixels of at least 1")
	}
	return core.Pixels(n.Big().Int64()), nil
}

// parsePrice reads a price from its three parts.
func parsePrice(perUnit, currency string, pixels core.Pixels) (core.UnitPrice, error) {
	p, err := core.ParsePrice(perUnit + currency)
	if err != nil {
		return core.UnitPrice{}, err
	}
	return core.UnitPrice{Price: p, PixelsPerUnit: pixels}, nil
}

// price returns the price of a legacy route: two parameters, and a third if it is not in wei.
func (f form) price() (core.UnitPrice, error) { return f.priceOf("pricePerUnit") }

// priceOf is price with another name for the amount.
func (f form) priceOf(name string) (core.UnitPrice, error) {
	perUnit, err := f.text(name)
	if err != nil {
		return core.UnitPrice{}, err
	}
	pixels, err := value(f, "pixelsPerUnit", parsePixels)
	if err != nil {
		return core.UnitPrice{}, err
	}
	price, err := parsePrice(perUnit, f.Get("currency"), pixels)
	if err != nil {
		return core.UnitPrice{}, badParam("%s %s: %v", name, quote(perUnit), err)
	}
	return price, nil
}

// parseServiceURI takes the public address of an orchestrator.
func parseServiceURI(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Port() == "" || u.User != nil || len(s) > 512 {
		return "", errors.New("not an address of the form https://host:port")
	}
	return s, nil
}
