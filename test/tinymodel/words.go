package tinymodel

// MaxWords is how far the model can count.
const MaxWords = 999

var ones = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
	"eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"}

var tens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

// Word spells a number from 1 to MaxWords as the model says it: one token each.
func Word(n int) string {
	switch {
	case n < 20:
		return ones[n]
	case n < 100 && n%10 == 0:
		return tens[n/10]
	case n < 100:
		return tens[n/10] + "-" + ones[n%10]
	case n%100 == 0:
		return ones[n/100] + "-hundred"
	}
	return ones[n/100] + "-hundred-" + Word(n%100)
}

// Text is what the model answers when it is cut off after n words.
func Text(n int) string {
	var text []byte
	for i := 1; i <= n; i++ {
		text = append(append(text, ' '), Word(i)...)
	}
	return string(text)
}
