package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core"
)

var (
	errWei     = errors.New("not a whole number of wei")
	errNetwork = errors.New("not a name of letters, digits, dots, dashes and underscores")
	errVModule = errors.New("not pattern=N,…")
)

// The forms of a list of modules and of a network's name, compiled at the first use. Read-only.
var (
	vmoduleForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^=,\s]+=\d{1,2}(,[^=,\s]+=\d{1,2})*$`)
	})
	networkName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	})
)

func wei(p *core.Wei) value {
	return typed(p, "wei", "1000000000", pure(readWei))
}

func readWei(s string) (core.Wei, error) {
	w, err := core.ParseWei(s)
	if err != nil {
		return core.Wei{}, errWei
	}
	return w, nil
}

func optionalWei(p **core.Wei) value {
	read := func(s string, _ *Input) (*core.Wei, error) {
		w, err := readWei(s)
		return &w, err
	}
	show := func(w *core.Wei) string {
		if w == nil {
			return ""
		}
		return w.String()
	}
	return field[*core.Wei]{p, valueType{name: "wei", example: "1000000000"}, read, show}
}

func account(p *core.Address) value {
	show := func(a core.Address) string {
		if a.IsZero() {
			return ""
		}
		return a.String()
	}
	return field[core.Address]{p, valueType{name: "address", example: "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"},
		pure(core.ParseAddress), show}
}

func accounts(p *[]core.Address) value {
	return list(p, valueType{name: "address,…", example: "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"},
		core.ParseAddress, core.Address.String)
}

func price(p *core.Price) value {
	return typed(p, "price", "1200", pure(core.ParsePrice))
}

func document(p *Document) value {
	return typed(p, "JSON or path", "/path/to/file.json", readDocument)
}

// network takes a network's name, which is also the name of its directory.
func network(p *string) value {
	read := func(s string) (string, error) {
		if !networkName().MatchString(s) {
			return "", errNetwork
		}
		return s, nil
	}
	return field[string]{p, valueType{name: "word", example: "offchain"}, pure(read), asIs}
}

func vmodule(p *string) value {
	read := func(s string) (string, error) {
		if !vmoduleForm().MatchString(s) {
			return "", errVModule
		}
		return s, nil
	}
	return field[string]{p, valueType{name: "pattern=N", example: "segment=6"}, pure(read), asIs}
}

func listening(p *addr, example string) value {
	return typed(p, "address", example, pure(splitAddr))
}

// hiddenURL takes a URL that is shown nowhere, because it may hold a key.
func hiddenURL(p *URL, schemes ...string) value {
	return hidden(p, "URL", exampleURL(schemes), readURL(schemes))
}

func urls(p *[]URL, schemes ...string) value {
	read := func(s string) (URL, error) { return ParseURL(s, schemes...) }
	return list(p, valueType{name: "URLs", example: exampleURL(schemes), hidden: true}, read, URL.String)
}

// urlsOrFile takes the URLs themselves or the path of a file that holds them, one per line
// or separated by commas: such URLs carry keys, which do not belong on a command line.
func urlsOrFile(p *[]URL, schemes ...string) value {
	text := urls(p, schemes...).(field[[]URL])
	plain := text.read
	text.name = "URLs or path"
	text.read = func(s string, in *Input) ([]URL, error) {
		if strings.Contains(s, "://") {
			return plain(s, in)
		}
		content, err := readSecret(s, in)
		if err != nil {
			return nil, err
		}
		if content.Reveal() == s && beginsLikePath(s) {
			return nil, &unreadable{path: s, why: "it does not exist"}
		}
		return plain(strings.Join(strings.Fields(content.Reveal()), ","), in)
	}
	return text
}

func readURL(schemes []string) func(string, *Input) (URL, error) {
	return pure(func(s string) (URL, error) { return ParseURL(s, schemes...) })
}

func exampleURL(schemes []string) string {
	if len(schemes) == 0 {
		return "https://host.example.org/"
	}
	return schemes[len(schemes)-1] + "://host.example.org/"
}

func texts(p *[]string) value {
	return list(p, valueType{name: "list", example: "one,two"}, parseText, asIs)
}

func hostPorts(p *[]HostPort) value {
	read := func(s string) (HostPort, error) { return ParseHostPort(s, DefaultServicePort) }
	return list(p, valueType{name: "host:port,…", example: "host.example.org:8935"}, read, HostPort.String)
}

// literalSecret takes a secret that is never a path.
func literalSecret(p *Secret) value {
	return hidden(p, "secret", "text", func(s string, _ *Input) (Secret, error) { return core.NewSecret(s), nil })
}

// size takes a number of bytes of at least low.
func size(p *ByteSize, low ByteSize) value {
	read := func(s string) (ByteSize, error) {
		n, err := ParseByteSize(s)
		if err == nil && n < low {
			return 0, errors.New("less than " + low.String())
		}
		return n, err
	}
	return typed(p, "size", "256MB", pure(read))
}

// mostVerbose is the highest verbosity that means something.
const mostVerbose = 10

// verbosity takes what the existing node takes: guides write 99 for everything.
func verbosity(p *int) value {
	read := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil:
			return 0, errWhole
		case n < 0:
			return 0, errors.New("less than 0")
		}
		return min(n, mostVerbose), nil
	}
	return field[int]{p, valueType{name: "number", example: "3"}, pure(read), strconv.Itoa}
}
