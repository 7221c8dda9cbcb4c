// Package chat has the form of chat completions, as far as the faces of other APIs need it: what
// they ask for and what they read of answers.
//
// It is for the packages beside it. It is no client and knows no limits.
package chat
