package config

import (
	"errors"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tuttinode/tutti/core"
)

// value is one option's place in a Config.
type value interface {
	// set reads a text. Its error says what is wrong with it and never repeats
	// it.
	set(text string, in *Input) error
	// String writes the value as set reads it; secrets are masked.
	String() string
	about() valueType
	// get is the value itself, to be compared.
	get() any
}

// valueType describes the texts a value takes.
type valueType struct {
	// name is the type in help and documents, example a text it takes.
	name, example string
	// isSwitch: on the command line the name alone means true.
	isSwitch bool
	// hidden: the text may be a secret and is left out of messages.
	hidden bool
}

// field is a value of type T read by a function.
type field[T any] struct {
	p *T
	valueType
	read  func(string, *Input) (T, error)
	print func(T) string
}

func (f field[T]) set(text string, in *Input) error {
	v, err := f.read(text, in)
	if err != nil {
		return err
	}
	*f.p = v
	return nil
}

func (f field[T]) String() string   { return f.print(*f.p) }
func (f field[T]) about() valueType { return f.valueType }
func (f field[T]) get() any         { return *f.p }

// stringer is a type that writes itself.
type stringer interface{ String() string }

// typed makes a value of a type that writes itself.
func typed[T stringer](p *T, name, example string, read func(string, *Input) (T, error)) value {
	return field[T]{p, valueType{name: name, example: example}, read, func(v T) string { return v.String() }}
}

// pure makes a reader of a function that needs no files.
func pure[T any](parse func(string) (T, error)) func(string, *Input) (T, error) {
	return func(s string, _ *Input) (T, error) { return parse(s) }
}

func hidden[T stringer](p *T, name, example string, read func(string, *Input) (T, error)) value {
	return field[T]{p, valueType{name: name, example: example, hidden: true}, read,
		func(v T) string { return v.String() }}
}

var (
	errBool     = errors.New("not true or false")
	errWhole    = errors.New("not a whole number")
	errNumber   = errors.New("not a number")
	errDuration = errors.New("not a duration")
	errControl  = errors.New("it holds a control character")
)

func parseBool(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, errBool
	}
	return b, nil
}

func boolean(p *bool) value {
	return field[bool]{p, valueType{name: "switch", example: "true", isSwitch: true}, pure(parseBool),
		strconv.FormatBool}
}

func switchable(p *Switch) value {
	return field[Switch]{p, valueType{name: "switch", example: "true", isSwitch: true}, pure(ParseSwitch),
		Switch.String}
}

// whole returns an integer from low to high.
func whole(p *int, low, high int) value {
	read := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil:
			return 0, errWhole
		case n < low:
			return 0, errors.New("less than " + strconv.Itoa(low))
		case n > high:
			return 0, errors.New("more than " + strconv.Itoa(high))
		}
		return n, nil
	}
	return field[int]{p, valueType{name: "number", example: strconv.Itoa(max(low, 1))}, pure(read), strconv.Itoa}
}

// pixels returns a positive whole number; exponents are understood.
func pixels(p *core.Pixels) value {
	read := func(s string) (core.Pixels, error) {
		n, err := core.ParseWei(s)
		if err != nil || n.IsZero() || !n.Big().IsInt64() {
			return 0, errors.New("not a positive whole number")
		}
		return core.Pixels(n.Big().Int64()), nil
	}
	return field[core.Pixels]{p, valueType{name: "number", example: "1"}, pure(read),
		func(n core.Pixels) string { return strconv.FormatInt(int64(n), 10) }}
}

// fraction returns a number from 0 to high.
func fraction(p *float64, high float64) value {
	read := func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
			return 0, errNumber
		case n < 0:
			return 0, errors.New("less than 0")
		case n > high:
			return 0, errors.New("more than " + printFloat(high))
		}
		return n, nil
	}
	return field[float64]{p, valueType{name: "number", example: "0.5"}, pure(read), printFloat}
}

func printFloat(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// duration returns a span of time of at least low. A number alone is refused unless
// seconds allows it.
func duration(p *time.Duration, low time.Duration) value {
	return field[time.Duration]{p, valueType{name: "duration", example: "30s"}, pure(readDuration(low)),
		time.Duration.String}
}

// seconds returns a duration that a number alone may give in seconds.
func seconds(p *time.Duration, low time.Duration) value {
	read := func(s string) (time.Duration, error) {
		if n, err := strconv.ParseUint(s, 10, 31); err == nil {
			s = strconv.FormatUint(n, 10) + "s"
		}
		return readDuration(low)(s)
	}
	return field[time.Duration]{p, valueType{name: "seconds", example: "5"}, pure(read), time.Duration.String}
}

func readDuration(low time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return 0, errDuration
		case d < low:
			return 0, errors.New("less than " + low.String())
		}
		return d, nil
	}
}

func parseText(s string) (string, error) {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "", errControl
	}
	return s, nil
}

func asIs(s string) string { return s }

func text(p *string) value {
	return field[string]{p, valueType{name: "text", example: "word"}, pure(parseText), asIs}
}

// path returns a file or directory; "~/" is the home directory.
func path(p *string) value {
	read := func(s string, in *Input) (string, error) {
		s, err := parseText(s)
		return in.expand(s), err
	}
	return field[string]{p, valueType{name: "path", example: "/path"}, read, asIs}
}

// choice returns one of a few words.
func choice(p *string, words ...string) value {
	read := func(s string) (string, error) {
		for _, w := range words {
			if s == w {
				return s, nil
			}
		}
		return "", errors.New("not one of " + strings.Join(words, ", "))
	}
	return field[string]{p, valueType{name: "word", example: words[0]}, pure(read), asIs}
}

// hostNames is names of hosts separated by commas, without ports.
func hostNames(p *[]string) value {
	read := func(s string) (string, error) {
		if strings.ContainsAny(s, ":/@ ") {
			return "", errors.New("not a host name, which has neither scheme nor port")
		}
		return s, nil
	}
	return list(p, valueType{name: "names", example: "media.example.org"}, read, asIs)
}

// networks are IP addresses and networks.
func networks(p *[]netip.Prefix) value {
	read := func(s string) (netip.Prefix, error) {
		if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" {
			return ip.Unmap().Prefix(ip.Unmap().BitLen())
		}
		n, err := netip.ParsePrefix(s)
		if err != nil || n.Addr().Is4In6() {
			return n, errors.New("neither an IP address nor a network as 192.0.2.0/24")
		}
		return n.Masked(), nil
	}
	return list(p, valueType{name: "addresses", example: "192.0.2.7,2001:db8::/48"}, read, netip.Prefix.String)
}

// list is texts separated by commas.
func list[T any](p *[]T, of valueType, read func(string) (T, error), print func(T) string) value {
	readAll := func(s string) ([]T, error) {
		var all []T
		for _, part := range strings.Split(s, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			v, err := read(part)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
	printAll := func(all []T) string {
		parts := make([]string, len(all))
		for i, v := range all {
			parts[i] = print(v)
		}
		return strings.Join(parts, ",")
	}
	return field[[]T]{p, of, pure(readAll), printAll}
}
