/* What the board reports by itself: told once, or standing and told again to whoever comes. */
#ifndef BALANX_FAULTS_H
#define BALANX_FAULTS_H
#include <stdint.h>
#include "messages.h"

void faults_start(void);
void fault_tell(uint8_t code, uint16_t argument);  /* once */
void fault_stand(uint8_t code, uint16_t argument); /* now, unless it stands already, and to each new session */
void fault_over(uint8_t code);                     /* it does not stand any more */
void faults_again(void);                           /* a new session: it knows none */
uint8_t fault_take(struct msg_fault *fault);       /* the oldest not yet told, 0: none */

#endif
