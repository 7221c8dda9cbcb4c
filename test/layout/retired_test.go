package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// vocabulary is testdata/retired-words.txt: words that the tree no longer uses.
type vocabulary struct {
	// words, types and files have a replacement for each word that may not be part of
	// any identifier, be a type's name, or be part of a file's name.
	words, types, files map[string]string
	// keep holds identifiers that name public surface.
	keep map[string]bool
}

func parseVocabulary(t *testing.T, text string) vocabulary {
	t.Helper()
	v := vocabulary{
		words: map[string]string{}, types: map[string]string{}, files: map[string]string{}, keep: map[string]bool{},
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "keep "); ok {
			v.keep[name] = true
			continue
		}
		word, replacement, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("retired-words.txt: %q has no replacement", line)
		}
		into := v.words
		if kind, name, qualified := strings.Cut(word, " "); qualified {
			into, word = map[string]map[string]string{"type": v.types, "file": v.files}[kind], name
		}
		into[word] = replacement
	}
	return v
}

var fileName = regexp.MustCompile(`[A-Za-z]+`)

// parts returns the lower-case words of a camelCase identifier.
func parts(name string) (out []string) {
	runes, start := []rune(name), 0
	for i, r := range runes {
		capital := unicode.IsUpper(r) && (!unicode.IsUpper(runes[max(i-1, 0)]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if i > start && (capital || !unicode.IsLetter(r)) {
			out = append(out, strings.ToLower(string(runes[start:i])))
			start = i
		}
		if !unicode.IsLetter(r) {
			start = i + 1
		}
	}
	return append(out, strings.ToLower(string(runes[start:])))
}

// inName returns the first retired word of an identifier, and its replacement.
func (v vocabulary) inName(name string) (word, replacement string) {
	if v.keep[name] {
		return "", ""
	}
	previous := ""
	for _, part := range parts(name) {
		if r, retired := v.words[part]; retired && !(part == "flight" && previous == "in") {
			return part, r
		}
		previous = part
	}
	return "", ""
}

// inFile returns the first retired word of a file's name, and its replacement.
func (v vocabulary) inFile(base string) (word, replacement string) {
	for _, part := range fileName.FindAllString(base, -1) {
		for _, known := range []map[string]string{v.words, v.files} {
			if r, retired := known[strings.ToLower(part)]; retired {
				return part, r
			}
		}
	}
	return "", ""
}

// declared calls f for every name that a file declares. Names of tests are left out:
// documents cite them.
func declared(file *ast.File, f func(name *ast.Ident, isType bool)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if !isTest(n.Name.Name) {
				f(n.Name, false)
			}
		case *ast.TypeSpec:
			f(n.Name, true)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				f(name, false)
			}
		case *ast.Field:
			for _, name := range n.Names {
				f(name, false)
			}
		case *ast.RangeStmt:
			defines(n.Tok, []ast.Expr{n.Key, n.Value}, f)
		case *ast.AssignStmt:
			defines(n.Tok, n.Lhs, f)
		}
		return true
	})
}

func defines(tok token.Token, names []ast.Expr, f func(name *ast.Ident, isType bool)) {
	for _, e := range names {
		if name, ok := e.(*ast.Ident); ok && tok == token.DEFINE {
			f(name, false)
		}
	}
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// A new engineer reads the trade's words, not ours.
func TestRetiredWords(t *testing.T) {
	t.Parallel()
	v := parseVocabulary(t, read(t, "testdata/retired-words.txt"))
	found := newBacklog("testdata/retired-left.txt")
	files(t, func(path string) {
		rel := relative(t, path)
		if word, instead := v.inFile(filepath.Base(path)); word != "" && !strings.Contains(rel, "testdata/") {
			found.addf(rel, "%s: %q is retired: %s", rel, word, instead)
		}
		source := read(t, path)
		if !strings.HasSuffix(path, ".go") || generated(source) {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		declared(file, func(name *ast.Ident, isType bool) {
			word, instead := v.inName(name.Name)
			if r, retired := v.types[name.Name]; isType && retired {
				word, instead = name.Name, r
			}
			if word != "" {
				found.addf(rel, "%s:%d: %s: %q is retired: %s", rel, set.Position(name.Pos()).Line, name.Name, word, instead)
			}
		})
	})
	found.report(t)
}

func TestRetiredWordsAreFound(t *testing.T) {
	t.Parallel()
	v := parseVocabulary(t, "flight: pendingTx\nnews: events\ntype line: queue\nfile front: aiapi\nkeep goodNews\n")
	for name, want := range map[string]string{
		"news": "news", "chainNews": "news", "NewsOf": "news", "newsID": "news", "goodNews": "", "newest": "",
		"inFlight": "", "InFlight2": "", "flightOf": "flight", "line": "", "TLSNews": "news",
	} {
		if got, _ := v.inName(name); got != want {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"news.go": "news", "front_test.go": "front", "newsreel.go": "", "chain_news.md": "news",
	} {
		if got, _ := v.inFile(name); got != want {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
	}
}
