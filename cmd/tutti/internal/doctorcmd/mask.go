package doctorcmd

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// masked replaces a secret.
const masked = "***"

// minSecret is the length below which a value is too common a text to look for.
const minSecret = 6

// Mask takes secrets out of texts, in the forms in which texts hold them.
type Mask struct{ secrets [][]byte }

// NewMask makes a mask of values.
func NewMask(values ...string) *Mask {
	m := &Mask{}
	for _, v := range values {
		for _, form := range forms(v) {
			if len(form) >= minSecret {
				m.secrets = append(m.secrets, []byte(form))
			}
		}
	}
	// A secret within another one would leave half of that.
	slices.SortFunc(m.secrets, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	m.secrets = slices.CompactFunc(m.secrets, bytes.Equal)
	return m
}

// forms returns a secret as it stands, its lines, the secret parts of an address, and all
// of these as URLs and JSON write them.
func forms(v string) []string {
	plain := []string{v}
	for _, f := range strings.FieldsFunc(v, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		f = strings.TrimSpace(f)
		plain = append(plain, f)
		plain = append(plain, partsOf(f)...)
	}
	out := slices.Clone(plain)
	for _, p := range plain {
		out = append(out, url.QueryEscape(p), url.PathEscape(p))
		if b, err := json.Marshal(p); err == nil {
			out = append(out, string(b[1:len(b)-1]))
		}
	}
	return out
}

// partsOf returns the parts of an address that grant access.
func partsOf(address string) (out []string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	if u.User != nil {
		if p, ok := u.User.Password(); ok {
			out = append(out, p)
		}
		out = append(out, u.User.String())
	}
	for _, values := range u.Query() {
		out = append(out, values...)
	}
	for p := range strings.SplitSeq(u.Path, "/") {
		if len(p) >= 16 { // keys are long, words of a path short
			out = append(out, p)
		}
	}
	return out
}

// Clean returns the text without the secrets.
func (m *Mask) Clean(text []byte) []byte {
	for _, s := range m.secrets {
		text = bytes.ReplaceAll(text, s, []byte(masked))
	}
	return text
}

// Secrets finds every secret in a configuration: whatever has a method Reveal.
func Secrets(config any) (out []string) {
	walk(reflect.ValueOf(config), 0, &out)
	return out
}

// maxDepth ends the walk where a configuration could not go on.
const maxDepth = 12

func walk(v reflect.Value, depth int, out *[]string) {
	if !v.IsValid() || depth > maxDepth {
		return
	}
	if v.CanInterface() {
		if s, ok := v.Interface().(interface{ Reveal() string }); ok {
			if v.Kind() != reflect.Pointer || !v.IsNil() {
				*out = append(*out, s.Reveal())
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), depth+1, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), depth+1, out)
		}
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 10_000) {
			walk(v.Index(i), depth+1, out)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			walk(v.MapIndex(k), depth+1, out)
		}
	}
}
