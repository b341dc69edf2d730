package page

// lastLevel is about the shipped code, with all its guards.
func lastLevel() level {
	return level{
		Name: "again", Title: "Break what ships",
		Goal: "Break any law of the code that ships.",
		Scene: "The same as in the levels before: two workers handle one deletion, one of them late, and Ann takes the name as soon as it is free. " +
			"All guards are there.",
		Nudge:   "Try what has worked before, and see which guard refuses it.",
		Teaches: "If you see this, you have found what the explorer has not. Please send us the address of this page.",
		Cousin: cousin{"The explorer enters every state that these actors can reach, once. That is called model checking of the code itself. CMC, an early tool for that, found 34 errors in three programs for one network protocol, and one in the protocol.",
			source{"CMC: A pragmatic approach to model checking real code, OSDI 2002", "https://www.microsoft.com/en-us/research/publication/cmc-a-pragmatic-approach-to-model-checking-real-code/"}},
	}
}
