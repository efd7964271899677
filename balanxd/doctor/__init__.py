"""The doctor: a computer's files and commands in; findings with their mend out. Changes nothing, opens no port."""
