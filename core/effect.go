package core

// Effect is a change of pictures that the sample pipeline of live video makes. Segments of gateways
// have none.
type Effect int

// The effects.
const (
	// EffectNone is that of all other work: the renditions are those of the profiles.
	EffectNone Effect = iota
	// EffectEdges shows edges in white on black.
	EffectEdges
	// EffectGray takes the colors away.
	EffectGray
	// EffectNegative inverts light and colors.
	EffectNegative
	// EffectPlain shows pictures as they are.
	EffectPlain
)

// EffectSide is the longest side in pixels of renditions with an effect.
const EffectSide = 1920

// effectNames are the names of effects in requests. Read-only.
var effectNames = [...]string{"", "edges", "gray", "negative", "none"}

// String returns the effect's name, "unknown" without one.
func (e Effect) String() string {
	if !e.Valid() {
		return "unknown"
	}
	return effectNames[e]
}

// Valid reports whether there is such an effect.
func (e Effect) Valid() bool { return e >= EffectNone && int(e) < len(effectNames) }

// EffectNamed finds an effect by its name.
func EffectNamed(name string) (Effect, bool) {
	for i, n := range effectNames {
		if n == name && i > 0 {
			return Effect(i), true
		}
	}
	return EffectNone, false
}
