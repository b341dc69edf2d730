package page

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"microblogging/lab"
)

// A sheet is how a diagram is drawn. Columns are percentages of the width, so that it fits any;
// lines and letters are as large as they are.
type sheet struct {
	diagram
	// Name is its class. With Of, it tells its ids from those of another sheet on the page.
	Name, Of string
	// Pitch is the height of a line, and Head that of the names, in pixels.
	Pitch, Head int
	// Letters fit into a line.
	Letters int
	// Above writes what is called above the arrow, from the left edge.
	Above bool
	// Painted carries its colors, for a file that has no style sheet.
	Painted bool
}

// The sheets. A phone shows the slim one, and a projector the large one.
func wide(d diagram) sheet { return sheet{diagram: d, Name: "wide", Pitch: 21, Head: 34, Letters: 170} }
func large(d diagram) sheet {
	return sheet{diagram: d, Name: "large", Pitch: 32, Head: 52, Letters: 98}
}
func slim(d diagram, of string) sheet {
	return sheet{diagram: d, Name: "slim", Of: of, Pitch: 38, Head: 94, Letters: 46, Above: true}
}

// half is one of two that are side by side.
func half(d diagram, of string) sheet {
	return sheet{diagram: d, Name: "half", Of: of, Pitch: 30, Head: 34, Letters: 77, Above: true}
}

func (s sheet) id(part string) string { return part + "-" + s.Name + s.Of }

// The gutter has the numbers of the steps, in percent of the width.
const gutter = 3

func (s sheet) x(column int) float64 {
	return gutter + (float64(column)+0.5)*(100-gutter)/float64(len(s.Callers)+len(s.Stores))
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// at is where a column is.
func (s sheet) at(column int) string { return percent(s.x(column)) }

// So many columns are wider than their names.
const wideColumns = 7

// named is where the name of a column is, and how it is aligned there.
func (s sheet) named(column int) (x, anchor string) {
	switch {
	case s.Name == "slim":
		return s.at(column), "end" // it is upright
	case column >= wideColumns && column == len(s.Callers)+len(s.Stores)-1:
		return "100%", "end"
	}
	return s.at(column), "middle"
}

// between is a part of the way from one column to another.
func (s sheet) between(from, to int, part float64) string {
	return percent(s.x(from) + (s.x(to)-s.x(from))*part)
}

// top is the upper edge of a line, and y is where its arrow lies.
func (s sheet) top(line int) string { return strconv.Itoa(s.Head + line*s.Pitch) }
func (s sheet) arrowAt(line int) int {
	return s.Head + (line+1)*s.Pitch - s.Pitch/4
}
func (s sheet) y(line int) string { return strconv.Itoa(s.arrowAt(line)) }

// text is where the words of a line are.
func (s sheet) text(line int) string {
	if s.Above {
		return strconv.Itoa(s.arrowAt(line) - s.Pitch/4)
	}
	return strconv.Itoa(s.arrowAt(line) - 4)
}

func (s sheet) height() int    { return s.Head + s.Rows*s.Pitch + s.Pitch/2 }
func (s sheet) bottom() string { return strconv.Itoa(s.height() - 2) }

// ends is where a lifeline ends.
func (s sheet) ends(l lifeline) string {
	for i, line := range s.Lines {
		if l.Ends > 0 && line.First <= l.Ends && l.Ends <= line.Last {
			return s.y(i)
		}
	}
	if l.Ends == 0 || l.Store {
		return s.bottom()
	}
	return strconv.Itoa(s.Head)
}

// from and to are where a span begins and how high it is.
func (s sheet) from(b span) int {
	if b.From < 0 {
		return s.Head
	}
	return s.arrowAt(b.From)
}

func (s sheet) tall(b span) int {
	if b.To >= len(s.Lines) {
		return s.height() - 2 - s.from(b)
	}
	return s.arrowAt(b.To) - s.from(b)
}

// The width of a span, and how much of its height a letter of its label takes.
const (
	spanWidth = 13
	letter    = 7
)

// head is the height of a name. Neighbours are in two rows, or upright.
func (s sheet) head(column int) string {
	if s.Name == "slim" {
		return strconv.Itoa(s.Head - 6)
	}
	return strconv.Itoa(s.Head - 6 - column%2*(s.Head/2-3))
}

// A piece is some words of a line, with their class, and what is left of them where there is no room.
type piece struct{ Class, Text, brief string }

// leastCall is how many letters of a call are worth more than the other words of a line.
const leastCall = 8

// pieces are the words of a line. What fits least is left out or shortened.
func (s sheet) pieces(l lineOfSteps) []piece {
	var before, soft, after []piece
	room := s.Letters
	if s.Above {
		before = append(before, piece{Class: "n", Text: l.numbers() + " "})
	} else {
		room = int(float64(s.Letters) * (100 - s.x(max(l.From, 0))) / 100)
	}
	if s.Above || l.folded() || l.From < 0 {
		before = append(before, piece{Class: "who", Text: l.Actor + ": "})
	}
	if l.StepText.Fate != "" {
		after = append(after, piece{Class: "bad", Text: " " + l.StepText.Fate}) // which is drawn, too
	}
	answer, _, _ := strings.Cut(strings.Trim(l.Result, "()"), ":")
	switch {
	case l.Refused:
		after = append(after, piece{"bad", " ✗ " + answer, " ✗"})
	case answer != "" && answer != "ok" && answer != "there" && l.Fate == lab.Arrives:
		soft = append(soft, piece{Class: "soft", Text: " → " + answer})
	}
	if l.Changes != "" {
		soft = append(soft, piece{Class: "soft", Text: " " + l.Changes})
	}
	for i, told := range l.Told {
		p := piece{Class: "told", Text: " told: " + told}
		if i == 0 && l.Breaks == nil {
			p.brief = " “" + shortened(told, 14) + "”"
		}
		after = append(after, p)
	}
	switch {
	case l.Cause:
		after = append(after, piece{"cause", " ◆ made it possible", " ◆"})
	case l.Differs:
		after = append(after, piece{"cause", " ◆ here they differ", " ◆"})
	}
	for i, invariant := range l.Breaks {
		p := piece{"breaks", " ✗ " + invariant + " is broken", " ✗"}
		if i == 0 {
			p.brief = " ✗ " + shortened(invariant, 20) + " is broken"
		}
		after = append(after, p)
	}
	for i, p := range after {
		least := leastCall
		if p.Class == "breaks" {
			least = 0
		}
		if room < lettersOf(before)+least+lettersOf(after) {
			after[i].Text = p.brief
		}
	}
	room -= lettersOf(before) + lettersOf(after)
	if room < lettersOf(soft)+20 {
		soft = nil
	}
	call := piece{Class: "call", Text: shortened(l.Call, room-lettersOf(soft))}
	return slices.Concat(before, []piece{call}, soft, after)
}

func lettersOf(pieces []piece) (n int) {
	for _, p := range pieces {
		n += utf8.RuneCountInString(p.Text)
	}
	return n
}

func shortened(text string, room int) string {
	switch letters := []rune(text); {
	case len(letters) <= room:
		return text
	case room < 2:
		return ""
	default:
		return string(letters[:room-1]) + "…"
	}
}

// paint are the colors of a class in a file without a style sheet.
func (s sheet) paint(class string) templ.Attributes {
	if !s.Painted {
		return nil
	}
	fill := func(color string) templ.Attributes { return templ.Attributes{"fill": color, "stroke": "none"} }
	stroke := func(color, dashes string) templ.Attributes {
		return templ.Attributes{"stroke": color, "stroke-dasharray": dashes, "stroke-width": "1.5"}
	}
	switch class {
	case "life":
		return stroke("#c9c4b8", "none")
	case "arrow":
		return stroke("#23262b", "none")
	case "late":
		return stroke("#a32f26", "2 4")
	case "lost":
		return stroke("#a32f26", "5 4")
	case "bad", "breaks", "gate-shut":
		return fill("#a32f26")
	case "state":
		return templ.Attributes{"fill": "#ffffff", "font-size": "10", "font-weight": "600"}
	case "told", "cause", "gate-open", "lease":
		return fill("#0f6b5c")
	case "soft", "n":
		return fill("#5c626a")
	case "gate-reserved":
		return fill("#e3dfd6")
	case "hit", "gate-gone":
		return fill("none")
	}
	return fill("#23262b")
}

// leaves, arrives and returns say what there is to draw of a call.
func (l lineOfSteps) leaves() bool {
	return l.From >= 0 && l.Fate != lab.GivenUp && l.Fate != lab.Lands && l.Fate != lab.Forgotten
}

// reach is how far the arrow of a call goes.
func (l lineOfSteps) reach() float64 {
	switch l.Fate {
	case lab.DiesBefore:
		return 0.08
	case lab.Unsent:
		return 0.5
	}
	return 1
}

// lost reports whether the answer to a call did not arrive.
func (l lineOfSteps) lost() bool {
	return l.Fate == lab.DiesAfter || l.Fate == lab.Lost || l.Fate == lab.Repeated
}

// class is for the style sheet.
func (l lineOfSteps) class() templ.CSSClasses {
	return templ.Classes("line", templ.KV("now", l.Current), templ.KV("left", l.Left), templ.KV("broke", l.Breaks != nil),
		templ.KV("made", l.Cause || l.Differs), templ.KV("folded", l.folded()))
}

// numbers are those of the steps.
func (l lineOfSteps) numbers() string {
	if l.folded() {
		return strconv.Itoa(l.First) + "–" + strconv.Itoa(l.Last)
	}
	return strconv.Itoa(l.First)
}
